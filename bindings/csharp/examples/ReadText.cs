// SPDX-License-Identifier: Apache-2.0
// Reads the lines of text in a picture, by the models of make demo: ReadText build/demo-models examples/ocr/demo.jpg
using System;
using System.Globalization;
using System.IO;
using System.Text;
using Coracle;

static class ReadText
{
    static int Main(string[] arguments)
    {
        if (arguments.Length != 2)
        {
            Console.Error.WriteLine("usage: ReadText MODELS PICTURE");
            return 2;
        }
        Console.OutputEncoding = new UTF8Encoding(false);
        var options = new PictureReaderOptions
        {
            Detector = Path.Combine(arguments[0], "models/ch_PP-OCRv4_det_infer"),
            Recognizer = Path.Combine(arguments[0], "models/ch_PP-OCRv4_rec_infer"),
            Classifier = Path.Combine(arguments[0], "models/ch_ppocr_mobile_v2_cls_infer"),
            Dictionary = Path.Combine(arguments[0], "ch_ppocr_rec/ppocr_keys_v1.txt"),
        };
        try
        {
            using (var reader = new PictureReader(options))
            using (Image image = Image.Read(arguments[1]))
            using (Prediction lines = reader.Read(image))
            {
                for (int i = 0; i < lines.Items.Count; ++i)
                {
                    Item line = lines.Items[i];
                    Console.WriteLine(string.Format(CultureInfo.InvariantCulture, "{0,3}  {1:F3}  {2}", i + 1, line.Score, line.Text));
                }
            }
            return 0;
        }
        catch (CoracleException e)
        {
            Console.Error.WriteLine("ReadText: " + e.Message);
            return 1;
        }
    }
}
