// SPDX-License-Identifier: Apache-2.0
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;

namespace Coracle
{
    /// <summary>A picture. It never changes and is for any number of threads at once. Needs libcoracle_vision, as all below.</summary>
    public sealed class Image : IDisposable
    {
        internal readonly ImageHandle Handle;

        internal Image(ImageHandle handle) { Handle = handle; }

        /// <summary>A PNG, JPEG, BMP or WebP file.</summary>
        public static Image Read(string path)
        {
            CoracleException.Check(NativeVision.coracle_image_read(Text.Required(path, nameof(path)), out ImageHandle handle));
            return new Image(handle);
        }

        /// <summary>The same in memory.</summary>
        public static Image Decode(byte[] bytes)
        {
            if (bytes == null) throw new ArgumentNullException(nameof(bytes));
            ImageHandle handle = null;
            Elements.Pinned(bytes, data => CoracleException.Check(NativeVision.coracle_image_decode(data, (UIntPtr)bytes.Length, out handle)));
            return new Image(handle);
        }

        /// <summary>Of three bytes for each pixel, rows from the top.</summary>
        public static Image FromPixels(byte[] pixels, int width, int height, PixelOrder order)
        {
            if (pixels == null) throw new ArgumentNullException(nameof(pixels));
            if (width < 0 || height < 0 || 3 * (decimal)width * height != pixels.Length)
                throw new ArgumentException(width + " x " + height + " pixels are not " + pixels.Length + " bytes");
            ImageHandle handle = null;
            Elements.Pinned(pixels, data => CoracleException.Check(NativeVision.coracle_image_create(data, width, height, 3, UIntPtr.Zero, order, out handle)));
            return new Image(handle);
        }

        public int Width => NativeVision.coracle_image_width(Handle);
        public int Height => NativeVision.coracle_image_height(Handle);

        /// <summary>Three bytes for each pixel, rows from the top.</summary>
        public byte[] Pixels(PixelOrder order)
        {
            long count = 3L * Width * Height;
            return Elements.Written<byte>(count, data => CoracleException.Check(NativeVision.coracle_image_copy(Handle, order, data, (UIntPtr)(ulong)count)));
        }

        public void WritePng(string path) => CoracleException.Check(NativeVision.coracle_image_write_png(Handle, Text.Required(path, nameof(path))));

        public void Dispose() => Handle.Dispose();
    }

    /// <summary>One thing that was found.</summary>
    public sealed class Item
    {
        /// <summary>Of the class; -1 where there are no classes.</summary>
        public int Id { get; internal set; }
        /// <summary>0 to 1.</summary>
        public float Score { get; internal set; }
        /// <summary>The class's name, or the text that was read.</summary>
        public string Text { get; internal set; }
        /// <summary>Of a class of a class map, or of a mask; else 0.</summary>
        public long Pixels { get; internal set; }
        /// <summary>x and y of each corner in turn; empty where what was found has no place in the picture.</summary>
        public float[] Outline { get; internal set; }
    }

    /// <summary>What was found in a picture. It never changes and is for any number of threads at once.</summary>
    public sealed class Prediction : IDisposable
    {
        private readonly PredictionHandle handle;

        /// <summary>"classification", "object-detection", "text-reading" and so on.</summary>
        public string Task { get; }
        public IReadOnlyList<Item> Items { get; }
        /// <summary>The vector of a model of features; empty for others.</summary>
        public float[] Features { get; }

        internal Prediction(PredictionHandle handle)
        {
            this.handle = handle;
            Task = Text.At(NativeVision.coracle_prediction_task(handle));
            var items = new Item[(int)NativeVision.coracle_prediction_size(handle)];
            for (int i = 0; i < items.Length; ++i)
            {
                CoracleException.Check(NativeVision.coracle_prediction_item(handle, (UIntPtr)i, out coracle_vision_item c));
                items[i] = new Item { Id = c.id, Score = c.score, Text = Text.At(c.text), Pixels = c.pixels, Outline = Floats(c.outline, 2 * (long)c.points) };
            }
            Items = items;
            IntPtr features = NativeVision.coracle_prediction_features(handle, out UIntPtr count);
            Features = Floats(features, (long)count);
        }

        private static float[] Floats(IntPtr data, long count)
        {
            var floats = new float[count];
            if (count > 0) Marshal.Copy(data, floats, 0, floats.Length);
            return floats;
        }

        /// <summary>The picture, which has to be that of the prediction, with what was found in it.</summary>
        public Image Draw(Image image)
        {
            if (image == null) throw new ArgumentNullException(nameof(image));
            CoracleException.Check(NativeVision.coracle_prediction_draw(handle, image.Handle, out ImageHandle drawing));
            return new Image(drawing);
        }

        /// <summary>Frees what Draw needs; the rest stays.</summary>
        public void Dispose() => handle.Dispose();
    }

    /// <summary>How a Predictor is made; null is the default.</summary>
    public sealed class PredictorOptions
    {
        /// <summary>The parameter file, where Paddle's naming rules do not find it.</summary>
        public string Params { get; set; }
        /// <summary>inference.yml, where it is not beside the model.</summary>
        public string Description { get; set; }
        /// <summary>For a model without description.</summary>
        public string Task { get; set; }
        /// <summary>A file with a name per line.</summary>
        public string Labels { get; set; }
        /// <summary>Classes at most.</summary>
        public int? TopK { get; set; }
        /// <summary>Least score of what is found.</summary>
        public float? Threshold { get; set; }
        /// <summary>0: Library.DefaultThreads.</summary>
        public int Threads { get; set; }
    }

    /// <summary>A model that answers about pictures as its description says, for one thread at a time.</summary>
    public sealed class Predictor : IDisposable
    {
        private readonly PredictorHandle handle;

        public Predictor(string path, PredictorOptions options = null)
        {
            options = options ?? new PredictorOptions();
            using (var texts = new Texts())
            {
                NativeVision.coracle_predictor_options_init(out coracle_predictor_options c, Sizes.Of<coracle_predictor_options>());
                c.@params = texts.Add(options.Params);
                c.description = texts.Add(options.Description);
                c.task = texts.Add(options.Task);
                c.labels = texts.Add(options.Labels);
                c.topk = options.TopK ?? c.topk;
                c.threshold = options.Threshold ?? c.threshold;
                c.threads = options.Threads;
                CoracleException.Check(NativeVision.coracle_predictor_create(Text.Required(path, nameof(path)), ref c, out handle));
            }
        }

        /// <summary>What the Task of its predictions will be.</summary>
        public string Task => Text.At(NativeVision.coracle_predictor_task(handle));

        public Prediction Predict(Image image)
        {
            if (image == null) throw new ArgumentNullException(nameof(image));
            CoracleException.Check(NativeVision.coracle_predictor_predict(handle, image.Handle, out PredictionHandle prediction));
            return new Prediction(prediction);
        }

        /// <summary>Ends what another thread has it do, with a CoracleException of status Cancelled there.</summary>
        public void Cancel() => CoracleException.Check(NativeVision.coracle_predictor_cancel(handle));

        public void Dispose() => handle.Dispose();
    }

    /// <summary>The models of a PictureReader.</summary>
    public sealed class PictureReaderOptions
    {
        /// <summary>A model that finds lines.</summary>
        public string Detector { get; set; }
        /// <summary>A model that reads them.</summary>
        public string Recognizer { get; set; }
        /// <summary>A model that tells lines which stand on their head; null: none does.</summary>
        public string Classifier { get; set; }
        /// <summary>A character per line, where the recogniser has no inference.yml.</summary>
        public string Dictionary { get; set; }
        /// <summary>Lines below it are left out.</summary>
        public float? MinScore { get; set; }
        /// <summary>0: Library.DefaultThreads.</summary>
        public int Threads { get; set; }
    }

    /// <summary>Reads the lines of text in pictures, for one thread at a time.</summary>
    public sealed class PictureReader : IDisposable
    {
        private readonly TextReaderHandle handle;

        public PictureReader(PictureReaderOptions options)
        {
            if (options == null) throw new ArgumentNullException(nameof(options));
            using (var texts = new Texts())
            {
                NativeVision.coracle_text_reader_options_init(out coracle_text_reader_options c, Sizes.Of<coracle_text_reader_options>());
                c.detector = texts.Add(options.Detector);
                c.recognizer = texts.Add(options.Recognizer);
                c.classifier = texts.Add(options.Classifier);
                c.dictionary = texts.Add(options.Dictionary);
                c.min_score = options.MinScore ?? c.min_score;
                c.threads = options.Threads;
                CoracleException.Check(NativeVision.coracle_text_reader_create(ref c, out handle));
            }
        }

        /// <summary>The lines of text in reading order.</summary>
        public Prediction Read(Image image)
        {
            if (image == null) throw new ArgumentNullException(nameof(image));
            CoracleException.Check(NativeVision.coracle_text_reader_read(handle, image.Handle, out PredictionHandle lines));
            return new Prediction(lines);
        }

        /// <summary>Ends what another thread has it do, with a CoracleException of status Cancelled there.</summary>
        public void Cancel() => CoracleException.Check(NativeVision.coracle_text_reader_cancel(handle));

        public void Dispose() => handle.Dispose();
    }
}
