// SPDX-License-Identifier: Apache-2.0
// Made by scripts/bindings/check.py from include/coracle/vision/vision.h.
using System;
using System.Runtime.InteropServices;

namespace Coracle
{
    internal sealed class ImageHandle : Handle
    {
        protected override void Free(IntPtr handle) { NativeVision.coracle_image_free(handle); }
    }

    internal sealed class PredictorHandle : Handle
    {
        protected override void Free(IntPtr handle) { NativeVision.coracle_predictor_free(handle); }
    }

    internal sealed class TextReaderHandle : Handle
    {
        protected override void Free(IntPtr handle) { NativeVision.coracle_text_reader_free(handle); }
    }

    internal sealed class PredictionHandle : Handle
    {
        protected override void Free(IntPtr handle) { NativeVision.coracle_prediction_free(handle); }
    }

    internal sealed class DocumentReaderHandle : Handle
    {
        protected override void Free(IntPtr handle) { NativeVision.coracle_document_reader_free(handle); }
    }

    internal sealed class DocumentHandle : Handle
    {
        protected override void Free(IntPtr handle) { NativeVision.coracle_document_free(handle); }
    }

    public enum PixelOrder
    {
        Rgb = 0,
        Bgr = 1,
    }

    internal enum FrameFormat
    {
        Rgb = 0,
        Bgr = 1,
        Rgba = 2,
        Bgra = 3,
        Nv12 = 4,
        Nv21 = 5,
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct coracle_frame
    {
        public UIntPtr struct_size;
        [MarshalAs(UnmanagedType.ByValArray, SizeConst = 2)] public IntPtr[] planes;
        [MarshalAs(UnmanagedType.ByValArray, SizeConst = 2)] public UIntPtr[] strides;
        public FrameFormat format;
        public int width;
        public int height;
        public int left;
        public int top;
        public int region_width;
        public int region_height;
        public int tensor_width;
        public int tensor_height;
        public PixelOrder order;
        public int channels_last;
        public ElementType dtype;
        [MarshalAs(UnmanagedType.ByValArray, SizeConst = 3)] public float[] mean;
        [MarshalAs(UnmanagedType.ByValArray, SizeConst = 3)] public float[] scale;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct coracle_vision_item
    {
        public int id;
        public float score;
        public IntPtr text;
        public long pixels;
        public UIntPtr points;
        public IntPtr outline;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct coracle_predictor_options
    {
        public UIntPtr struct_size;
        public IntPtr @params;
        public IntPtr description;
        public IntPtr task;
        public IntPtr labels;
        public int topk;
        public float threshold;
        public int threads;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct coracle_text_reader_options
    {
        public UIntPtr struct_size;
        public IntPtr detector;
        public IntPtr recognizer;
        public IntPtr classifier;
        public IntPtr dictionary;
        public float min_score;
        public int threads;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct coracle_document_reader_options
    {
        public UIntPtr struct_size;
        public IntPtr orientation;
        public IntPtr unwarper;
        public IntPtr layout;
        public IntPtr table;
        public IntPtr detector;
        public IntPtr classifier;
        public IntPtr recognizer;
        public IntPtr dictionary;
        public float min_score;
        public int threads;
        public IntPtr table_orientation;
        public IntPtr table_classifier;
        public IntPtr wired_structure;
        public IntPtr wired_cells;
        public IntPtr wireless_structure;
        public IntPtr wireless_cells;
        public IntPtr seal_detector;
        public IntPtr seal_recognizer;
        public IntPtr seal_dictionary;
    }

    internal static class NativeVision
    {
        const string Library = "coracle_vision";

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_image_create(IntPtr pixels, int width, int height, int channels, UIntPtr stride, PixelOrder order, out ImageHandle image);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_image_decode(IntPtr bytes, UIntPtr size, out ImageHandle image);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_image_read(byte[] path, out ImageHandle image);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern void coracle_image_free(IntPtr image);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern int coracle_image_width(ImageHandle image);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern int coracle_image_height(ImageHandle image);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_image_copy(ImageHandle image, PixelOrder order, IntPtr pixels, UIntPtr bytes);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_image_write_png(ImageHandle image, byte[] path);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern void coracle_frame_init(out coracle_frame frame, UIntPtr struct_size);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_frame_to_tensor(ref coracle_frame frame, IntPtr tensor, UIntPtr bytes);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern IntPtr coracle_prediction_task(PredictionHandle prediction);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern UIntPtr coracle_prediction_size(PredictionHandle prediction);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_prediction_item(PredictionHandle prediction, UIntPtr index, out coracle_vision_item item);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern IntPtr coracle_prediction_polygon(PredictionHandle prediction, UIntPtr index, out UIntPtr points);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern IntPtr coracle_prediction_class_map(PredictionHandle prediction);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern IntPtr coracle_prediction_scores(PredictionHandle prediction, out int width, out int height);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern IntPtr coracle_prediction_marks(PredictionHandle prediction);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern IntPtr coracle_prediction_features(PredictionHandle prediction, out UIntPtr count);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_prediction_mask(PredictionHandle prediction, UIntPtr index, IntPtr pixels, UIntPtr bytes);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern IntPtr coracle_prediction_mask_counts(PredictionHandle prediction, UIntPtr index, out UIntPtr count);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_prediction_draw(PredictionHandle prediction, ImageHandle image, out ImageHandle drawing);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern void coracle_prediction_free(IntPtr prediction);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern void coracle_predictor_options_init(out coracle_predictor_options options, UIntPtr struct_size);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_predictor_create(byte[] path, ref coracle_predictor_options options, out PredictorHandle predictor);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_predictor_create_memory(IntPtr archive, UIntPtr size, ref coracle_predictor_options options, out PredictorHandle predictor);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern IntPtr coracle_predictor_task(PredictorHandle predictor);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern IntPtr coracle_predictor_assumed(PredictorHandle predictor);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_predictor_predict(PredictorHandle predictor, ImageHandle image, out PredictionHandle prediction);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_predictor_cancel(PredictorHandle predictor);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern void coracle_predictor_free(IntPtr predictor);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern void coracle_text_reader_options_init(out coracle_text_reader_options options, UIntPtr struct_size);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_text_reader_create(ref coracle_text_reader_options options, out TextReaderHandle reader);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_text_reader_read(TextReaderHandle reader, ImageHandle image, out PredictionHandle prediction);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_text_reader_cancel(TextReaderHandle reader);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern void coracle_text_reader_free(IntPtr reader);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern void coracle_document_reader_options_init(out coracle_document_reader_options options, UIntPtr struct_size);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_document_reader_create(ref coracle_document_reader_options options, out DocumentReaderHandle reader);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_document_reader_read(DocumentReaderHandle reader, ImageHandle image, out DocumentHandle document);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_document_reader_cancel(DocumentReaderHandle reader);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern void coracle_document_reader_free(IntPtr reader);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern int coracle_document_turned(DocumentHandle document);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_document_page(DocumentHandle document, out ImageHandle page);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_document_regions(DocumentHandle document, out PredictionHandle regions);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_document_lines(DocumentHandle document, out PredictionHandle lines);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern UIntPtr coracle_document_tables(DocumentHandle document);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_document_table(DocumentHandle document, UIntPtr index, out PredictionHandle table);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern UIntPtr coracle_document_seals(DocumentHandle document);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_document_seal(DocumentHandle document, UIntPtr index, out PredictionHandle seal);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_document_html(DocumentHandle document, byte[] title, out IntPtr html);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_document_markdown(DocumentHandle document, byte[] pictures, out IntPtr markdown);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern UIntPtr coracle_document_pictures(DocumentHandle document);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_document_picture(DocumentHandle document, UIntPtr index, out IntPtr name, out ImageHandle picture);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_documents_markdown(IntPtr[] documents, UIntPtr count, byte[] pictures, out IntPtr markdown);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_document_json(DocumentHandle document, byte[] path, out IntPtr json);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_document_draw(DocumentHandle document, out ImageHandle drawing);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern void coracle_document_free(IntPtr document);
    }
}
