// SPDX-License-Identifier: Apache-2.0
// CORACLE_TEST_MODELS is the folder that write_binding_models wrote. `--layout` prints what scripts/bindings/check.py compares with C's.
using System;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;
using Coracle;

static class InterfaceTests
{
    static readonly string Models = Environment.GetEnvironmentVariable("CORACLE_TEST_MODELS");
    static int failures;

    static int Main(string[] arguments)
    {
        if (arguments.Length == 1 && arguments[0] == "--layout")
        {
            PrintLayout();
            return 0;
        }
        Action[] tests =
        {
            AModelTellsWhatItIs, ARunHasTheRightResults, EveryElementTypeComesBack, WrongThingsAreErrors, ModelsComeFromMemoryAndFiles,
            WhatIsDisposedOfIsAnError, ThreadsShareAModelAndAPool, ASessionIsForOneThreadAtATime, TokensEndRuns, RunsGoOnInTheLibrary,
            WhatIsForgottenIsFreed, PicturesComeBack, WrongPicturesAreErrors,
        };
        foreach (Action test in tests)
        {
            try
            {
                test();
            }
            catch (Exception e)
            {
                Fail(test.Method.Name + ": " + e);
            }
        }
        Console.WriteLine(failures == 0 ? tests.Length + " tests passed" : failures + " failures");
        return failures == 0 ? 0 : 1;
    }

    static void Fail(string what)
    {
        ++failures;
        Console.WriteLine("FAILED: " + what);
    }

    static void Check(bool right, string what)
    {
        if (!right) Fail(what);
    }

    static void Same<T>(T[] expected, T[] found, string what)
    {
        Check(expected.SequenceEqual(found), what + ": " + string.Join(" ", found) + ", expected " + string.Join(" ", expected));
    }

    static void Throws<E>(string words, Action call) where E : Exception
    {
        try
        {
            call();
            Fail("nothing was thrown, expected " + typeof(E).Name + " with " + words);
        }
        catch (E e)
        {
            Check(e.Message.Contains(words), "expected '" + words + "' in: " + e.Message);
        }
    }

    static void Refused(Status status, string words, Action call)
    {
        Throws<CoracleException>(words, () =>
        {
            try
            {
                call();
            }
            catch (CoracleException e)
            {
                Check(e.Status == status, "expected " + status + ", found " + e.Status + ": " + e.Message);
                throw;
            }
        });
    }

    static Model Load(string name) => Model.Load(Path.Combine(Models, name));

    /// <summary>One row times 1 2 / 3 4.</summary>
    static float[] ProductOf(Session session, float a, float b)
    {
        session.SetInput(0, new long[] { 1, 2 }, a, b);
        session.Run();
        return session.Output<float>(1).Values;
    }

    static void ExpectProduct(Session session) => Same(new[] { 7f, 10f }, ProductOf(session, 1, 2), "product");

    static Session Endless()
    {
        using (Model model = Load("endless.pdmodel"))
        {
            var session = new Session(model, new SessionOptions { Threads = 1 });
            session.SetInput(0, new long[] { 1 }, 0f);
            return session;
        }
    }

    static void AModelTellsWhatItIs()
    {
        using (Model model = Load("product"))
        {
            Check(model.Inputs.Count == 1 && model.Inputs[0].Name == "x" && model.Inputs[0].Type == ElementType.Float32, "inputs");
            Same(new long[] { -1, 2 }, model.Inputs[0].Dims, "dims");
            Check(model.FindInput("x") == 0 && model.FindInput("y") == -1 && model.FindOutput(model.Outputs[1].Name) == 1, "names");
            Check(model.Description.Contains("operators") && model.GraphText() != "" && model.Engines().Contains("nodes"), "texts");
            model.CheckFiles();
        }
        Check(Library.Inspect(Path.Combine(Models, "product")).Contains("operators"), "inspect");
        Check(Library.Version.Contains(".") && Library.DefaultThreads > 0 && Library.Devices() != "" && Library.Engines() != "", "library");
    }

    static void ARunHasTheRightResults()
    {
        using (Model model = Load("product"))
        using (var session = new Session(model, new SessionOptions { Threads = 1 }))
        {
            session.SetInput(0, new long[] { 2, 2 }, 1f, 2f, 0.5f, 0f);
            session.Run();
            Tensor<float> twice = session.Output<float>(0);
            Same(new[] { 2f, 4f, 1f, 0f }, twice.Values, "twice");
            Same(new long[] { 2, 2 }, twice.Dims, "dims");
            Same(new[] { 7f, 10f, 0.5f, 1f }, session.Output<float>(1).Values, "product");
            Check(session.OutputBytes(1).Values.Length == 16 && session.OutputBytes(1).Type == ElementType.Float32, "bytes");
            Check(session.Explain().Contains("kernel") && session.PlannedMemory() > 0 && session.ReleaseMemory() >= 0, "what a session tells");
            Refused(Status.InvalidArgument, "", () => session.Output<float>(1));
            using (Session clone = session.Clone()) ExpectProduct(clone);
        }
    }

    static void EveryElementTypeComesBack()
    {
        using (Model model = Load("types.pdmodel"))
        using (var session = new Session(model))
        {
            session.SetInput(0, new long[] { 2 }, 0.5f, -2f);
            session.SetInputLod(0, new long[] { 0, 2 });
            session.SetInput(1, new long[] { 1 }, int.MinValue);
            session.SetInput(2, new long[] { 1 }, long.MaxValue);
            session.SetInput(3, new long[] { 0 }, new byte[0]);
            session.SetInputBytes(4, ElementType.Int8, new long[] { 1 }, new byte[] { 0x80 });
            session.SetInput(5, new long[] { 3 }, true, false, true);
            session.Run();
            Same(new[] { 0.5f, -2f }, session.Output<float>(0).Values, "float");
            Same(new long[] { 0, 2 }, session.Output<float>(0).Lod.Single(), "offsets");
            Same(new[] { int.MinValue }, session.Output<int>(1).Values, "int");
            Same(new[] { long.MaxValue }, session.Output<long>(2).Values, "long");
            Same(new byte[0], session.Output<byte>(3).Values, "byte");
            Same(new sbyte[] { -128 }, session.Output<sbyte>(4).Values, "sbyte");
            Same(new[] { true, false, true }, session.Output<bool>(5).Values, "bool");
            Throws<InvalidOperationException>("of type float32, asked for int32", () => session.Output<int>(0));
            Throws<ArgumentException>("no element type", () => session.Output<char>(0));
        }
    }

    static void WrongThingsAreErrors()
    {
        string path = Path.Combine(Models, "product");
        Refused(Status.IO, "nowhere", () => Model.Load("nowhere"));
        Refused(Status.InvalidArgument, "quick", () => Model.Load(path, new ModelOptions { Precision = "quick" }));
        Throws<ArgumentException>("zero byte", () => Model.Load(path, new ModelOptions { Device = "a\0b" }));
        Throws<ArgumentNullException>("path", () => Model.Load(null));
        Refused(Status.InvalidModel, "", () => Model.FromBytes(new byte[] { 1, 2, 3 }));
        Refused(Status.InvalidArgument, "", () => new Pool(1, "no processor"));
        Throws<ArgumentNullException>("model", () => new Session(null));
        using (Model model = Load("product"))
        {
            Refused(Status.InvalidArgument, "", () => new Session(model, new SessionOptions { Threads = -1 }));
            Throws<ArgumentException>("not negative", () => new Session(model, new SessionOptions { MemoryLimit = -1 }));
            using (var session = new Session(model))
            {
                Refused(Status.InvalidArgument, "x", () => session.Run());
                Refused(Status.InvalidArgument, "", () => session.Output<float>(0));
                Refused(Status.InvalidArgument, "", () => session.Output<float>(-1));
                Throws<ArgumentException>("2 elements, given 3", () => session.SetInput(0, new long[] { 1, 2 }, 1f, 2f, 3f));
                Throws<ArgumentException>("none that a tensor has", () => session.SetInput(0, new long[] { -1, 2 }, 1f, 2f));
                Throws<ArgumentException>("none that a tensor has", () => session.SetInput(0, new long[] { long.MaxValue, 2 }, 1f));
                Throws<ArgumentException>("9 at most", () => session.SetInput(0, new long[10], new float[0]));
                Throws<ArgumentNullException>("", () => session.SetInput(0, null, 1f));
                Throws<ArgumentException>("77 is no element type", () => session.SetInputBytes(0, (ElementType)77, new long[] { 1 }, new byte[1]));
                Throws<ArgumentException>("given 7 bytes, 4 for each", () => session.SetInputBytes(0, ElementType.Float32, new long[] { 1, 2 }, new byte[7]));
                Refused(Status.InvalidArgument, "int64", () => session.SetInput(0, new long[] { 1, 2 }, 1L, 2L));
                Refused(Status.InvalidArgument, "", () => session.SetInput(7, new long[] { 1, 2 }, 1f, 2f));
                Refused(Status.InvalidArgument, "", () => session.Tensor<float>("w"));
                ExpectProduct(session);
            }
        }
    }

    static void ModelsComeFromMemoryAndFiles()
    {
        Session session;
        string file = Path.GetTempFileName();
        using (Model model = Model.FromBytes(File.ReadAllBytes(Path.Combine(Models, "product/inference.pdmodel")),
                                             File.ReadAllBytes(Path.Combine(Models, "product/inference.pdiparams")), new ModelOptions { Weights = "mapped" }))
        {
            session = new Session(model);
            model.Save(file);
        }
        using (session)
        {
            GC.Collect();
            ExpectProduct(session);
            using (Session clone = session.Clone()) ExpectProduct(clone);
        }
        using (Model saved = Model.Load(file, new ModelOptions { CheckWeights = true, KeepTensors = "" }))
        using (var again = new Session(saved)) ExpectProduct(again);
        File.Delete(file);
        using (Model kept = Model.Load(Path.Combine(Models, "product"), new ModelOptions { KeepTensors = "*" }))
        using (var keeps = new Session(kept))
        {
            ExpectProduct(keeps);
            Same(new[] { 7f, 10f }, keeps.Tensor<float>(kept.Outputs[1].Name).Values, "a kept tensor");
        }
    }

    static void WhatIsDisposedOfIsAnError()
    {
        Model model = Load("product");
        var pool = new Pool(2);
        Check(pool.Threads == 2, "threads of a pool");
        var session = new Session(model, new SessionOptions { Pool = pool });
        for (int i = 0; i < 2; ++i)
        {
            model.Dispose();
            pool.Dispose();
        }
        ExpectProduct(session);  // it keeps both
        Throws<ObjectDisposedException>("", () => Console.WriteLine(model.Inputs));
        Throws<ObjectDisposedException>("", () => new Session(model));
        using (Model other = Load("product")) Throws<ObjectDisposedException>("", () => new Session(other, new SessionOptions { Pool = pool }));
        session.Dispose();
        session.Dispose();
        Throws<ObjectDisposedException>("", () => session.Run());
        Throws<ObjectDisposedException>("", () => session.RunAsync());
        Throws<ObjectDisposedException>("", () => session.Output<float>(0));
        Throws<ObjectDisposedException>("", () => session.Clone());
        Throws<ObjectDisposedException>("", () => session.SetInput(0, new long[] { 1, 2 }, 1f, 2f));
    }

    static void ThreadsShareAModelAndAPool()
    {
        using (Model model = Load("product"))
        using (var pool = new Pool(2))
        {
            Task[] tasks = Enumerable.Range(0, 4).Select(thread => Task.Run(() =>
            {
                using (var session = new Session(model, new SessionOptions { Pool = pool }))
                {
                    for (int i = 0; i < 50; ++i)
                    {
                        float x = 100 * thread + i;
                        Same(new[] { x + 3, 2 * x + 4 }, ProductOf(session, x, 1), "product");
                    }
                }
            })).ToArray();
            Task.WaitAll(tasks);
        }
    }

    static void ASessionIsForOneThreadAtATime()
    {
        using (Session session = Endless())
        using (var source = new CancellationTokenSource())
        {
            Task run = session.RunAsync(null, source.Token);
            Refused(Status.InvalidArgument, "", () => session.SetProfiling(true));
            Refused(Status.InvalidArgument, "", () => session.RunAsync().GetAwaiter().GetResult());
            session.Dispose();  // frees it after the run
            Refused(Status.InvalidArgument, "", () => session.SetProfiling(true));
            source.Cancel();
            Throws<OperationCanceledException>("", () => run.GetAwaiter().GetResult());
            Throws<ObjectDisposedException>("", () => session.SetProfiling(true));
            Check(run.IsCanceled, "the task is cancelled");
        }
    }

    static void TokensEndRuns()
    {
        using (Session session = Endless())
        {
            using (var source = new CancellationTokenSource(5))
            {
                Throws<OperationCanceledException>("", () => session.Run(null, source.Token));
                Throws<OperationCanceledException>("", () => session.Run(null, source.Token));
                Check(session.RunAsync(null, source.Token).IsCanceled, "a token that was cancelled before");
            }
            Refused(Status.RunFailure, "", () => session.Run(new RunOptions { TimeLimit = TimeSpan.FromTicks(1) }));
            session.SetInput(0, new long[] { 1 }, 1f);
            using (var source = new CancellationTokenSource()) session.Run(null, source.Token);
        }
    }

    static async Task<float[]> RunTwice(Session session)
    {
        await session.RunAsync();
        await session.RunAsync(new RunOptions { TimeLimit = TimeSpan.FromMinutes(1) }, CancellationToken.None);
        return session.Output<float>(1).Values;
    }

    static void RunsGoOnInTheLibrary()
    {
        using (Model model = Load("product"))
        {
            Session[] sessions = Enumerable.Range(0, 8).Select(i => new Session(model)).ToArray();
            Task<float[]>[] runs = sessions.Select((session, i) =>
            {
                session.SetInput(0, new long[] { 1, 2 }, i, 2f);
                return RunTwice(session);
            }).ToArray();
            for (int i = 0; i < runs.Length; ++i)
            {
                Same(new[] { i + 6f, 2f * i + 8 }, runs[i].Result, "an asynchronous run");
                sessions[i].Dispose();
            }
            using (var session = new Session(model)) Refused(Status.InvalidArgument, "x", () => session.RunAsync().GetAwaiter().GetResult());
        }
    }

    static void WhatIsForgottenIsFreed()
    {
        for (int i = 0; i < 20; ++i) ExpectProduct(new Session(Load("product")));
        GC.Collect();
        GC.WaitForPendingFinalizers();
    }

    static void PicturesComeBack()
    {
        byte[] pixels = Enumerable.Range(0, 18).Select(i => (byte)i).ToArray();
        string path = Path.GetTempFileName();
        using (Image image = Image.FromPixels(pixels, 3, 2, PixelOrder.Rgb))
        {
            Check(image.Width == 3 && image.Height == 2, "size");
            Same(new byte[] { 2, 1, 0 }, image.Pixels(PixelOrder.Bgr).Take(3).ToArray(), "order");
            image.WritePng(path);
            image.Dispose();
            Throws<ObjectDisposedException>("", () => image.Pixels(PixelOrder.Rgb));
        }
        using (Image image = Image.Read(path)) Same(pixels, image.Pixels(PixelOrder.Rgb), "pixels of a file");
        using (Image image = Image.Decode(File.ReadAllBytes(path))) Same(pixels, image.Pixels(PixelOrder.Rgb), "pixels of bytes");
        File.Delete(path);
    }

    static void WrongPicturesAreErrors()
    {
        Throws<ArgumentException>("1 x 2 pixels are not 5 bytes", () => Image.FromPixels(new byte[5], 1, 2, PixelOrder.Rgb));
        Refused(Status.IO, "", () => Image.Decode(new byte[0]));
        Refused(Status.IO, "nowhere.png", () => Image.Read("nowhere.png"));
        Refused(Status.IO, "", () => new PictureReader(new PictureReaderOptions { Detector = "nowhere", Recognizer = "nowhere" }));
        Refused(Status.InvalidArgument, "", () => new PictureReader(new PictureReaderOptions()));
        Refused(Status.IO, "", () => new Predictor("nowhere"));
    }

    static void PrintLayout()
    {
        foreach (Type type in typeof(Library).Assembly.GetTypes().Where(type => type.IsValueType && type.Name.StartsWith("coracle_")))
        {
            Console.WriteLine("size {0} {1}", type.Name, Marshal.SizeOf(type));
            foreach (FieldInfo field in type.GetFields())
            {
                var array = (MarshalAsAttribute)Attribute.GetCustomAttribute(field, typeof(MarshalAsAttribute));
                int size = array == null ? SizeOf(field.FieldType) : array.SizeConst * SizeOf(field.FieldType.GetElementType());
                Console.WriteLine("field {0}.{1} {2} {3}", type.Name, field.Name, Marshal.OffsetOf(type, field.Name), size);
            }
        }
    }

    static int SizeOf(Type type) => Marshal.SizeOf(type.IsEnum ? Enum.GetUnderlyingType(type) : type);
}
