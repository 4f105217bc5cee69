// SPDX-License-Identifier: Apache-2.0
using System;
using System.Collections.Generic;

namespace Coracle
{
    /// <summary>How a model is loaded. What each does stands in coracle.h (coracle_model_options); null and 0 are the default.</summary>
    public sealed class ModelOptions
    {
        /// <summary>The parameter file, where Paddle's naming rules do not find it.</summary>
        public string Params { get; set; }
        /// <summary>The widest instruction set to use: "sse2", "avx2".</summary>
        public string CpuIsa { get; set; }
        /// <summary>Rewrites to leave out, separated by commas; "all".</summary>
        public string DisablePasses { get; set; }
        /// <summary>Prefixes of kernel names to leave out, separated by commas.</summary>
        public string DisableKernels { get; set; }
        /// <summary>Variables to keep for Session.Tensor, separated by commas; "*".</summary>
        public string KeepTensors { get; set; }
        /// <summary>"strict", "default", "high", "tf32", "bf16", "fp16" or "int8".</summary>
        public string Precision { get; set; }
        /// <summary>"copied", "mapped" or "automatic".</summary>
        public string Weights { get; set; }
        /// <summary>"opencl", "cuda:1", "cuda?".</summary>
        public string Device { get; set; }
        /// <summary>Engines that run parts of the model, separated by commas.</summary>
        public string Engines { get; set; }
        /// <summary>Operators that go to an engine, separated by commas.</summary>
        public string Marks { get; set; }
        /// <summary>Sizes that inputs have, for which engines compile once.</summary>
        public string Shapes { get; set; }
        /// <summary>Operators of a block of an engine at least; null: 2.</summary>
        public long? MinOps { get; set; }
        /// <summary>Bound on the packed weights that the model keeps; null: none.</summary>
        public long? WeightsCacheBytes { get; set; }
        /// <summary>Bound on the time of loading.</summary>
        public TimeSpan TimeLimit { get; set; }
        /// <summary>Inputs must have the fixed sizes that the model declares.</summary>
        public bool CheckDeclaredSizes { get; set; }
        /// <summary>Weights of a saved model are compared with their checksums.</summary>
        public bool CheckWeights { get; set; }
        /// <summary>Parameter files may be links out of the model's folder.</summary>
        public bool AllowOutsideLinks { get; set; }

        internal coracle_model_options ToNative(Texts texts)
        {
            Native.coracle_model_options_init(out coracle_model_options c, Sizes.Of<coracle_model_options>());
            c.cpu_isa = texts.Add(CpuIsa);
            c.disable_passes = texts.Add(DisablePasses);
            c.disable_kernels = texts.Add(DisableKernels);
            c.keep_tensors = texts.Add(KeepTensors);
            c.precision = texts.Add(Precision);
            c.weights = texts.Add(Weights);
            c.device = texts.Add(Device);
            c.engines = texts.Add(Engines);
            c.marks = texts.Add(Marks);
            c.shapes = texts.Add(Shapes);
            c.min_ops = MinOps ?? c.min_ops;
            if (WeightsCacheBytes.HasValue) c.weights_cache_bytes = Sizes.Of(WeightsCacheBytes.Value, nameof(WeightsCacheBytes));
            c.time_limit_ms = Sizes.Milliseconds(TimeLimit);
            c.check_declared_sizes = CheckDeclaredSizes ? 1 : 0;
            c.check_weights = CheckWeights ? 1 : 0;
            c.allow_outside_links = AllowOutsideLinks ? 1 : 0;
            return c;
        }
    }

    /// <summary>Name and type of an input or output.</summary>
    public sealed class TensorInfo
    {
        public string Name { get; }
        public ElementType Type { get; }
        /// <summary>A dimension of -1 is free; null where none are known before a run.</summary>
        public long[] Dims { get; }
        /// <summary>Levels of sequence offsets an input takes.</summary>
        public int LodLevels { get; }

        internal TensorInfo(ref coracle_tensor_info c)
        {
            Name = Text.At(c.name);
            Type = c.dtype;
            LodLevels = c.lod_levels;
            if (c.rank >= 0)
            {
                Dims = new long[c.rank];
                Array.Copy(c.dims, Dims, c.rank);
            }
        }
    }

    /// <summary>A loaded model. It never changes and is for any number of threads at once.</summary>
    public sealed class Model : IDisposable
    {
        internal readonly ModelHandle Handle;
        internal readonly Memory Bytes;

        private Model(ModelHandle handle, Memory bytes)
        {
            Handle = handle;
            Bytes = bytes;
            handle.Keep(bytes);
        }

        /// <summary>From a folder, an archive of one (.tar, .tar.gz, .zip), one of its files or a saved model.</summary>
        public static Model Load(string path, ModelOptions options = null)
        {
            options = options ?? new ModelOptions();
            using (var texts = new Texts())
            {
                coracle_model_options c = options.ToNative(texts);
                CoracleException.Check(Native.coracle_model_load(Text.Required(path, nameof(path)), Text.Of(options.Params), ref c, out ModelHandle handle));
                return new Model(handle, null);
            }
        }

        /// <summary>From the bytes of a program and of its parameters, which may be null. Both are copied.</summary>
        public static Model FromBytes(byte[] program, byte[] parameters = null, ModelOptions options = null)
        {
            if (program == null) throw new ArgumentNullException(nameof(program));
            parameters = parameters ?? new byte[0];
            var bytes = new Memory(program, parameters);
            try
            {
                using (var texts = new Texts())
                {
                    coracle_model_options c = (options ?? new ModelOptions()).ToNative(texts);
                    IntPtr second = parameters.Length == 0 ? IntPtr.Zero : (IntPtr)(bytes.Address.ToInt64() + program.Length);
                    CoracleException.Check(
                        Native.coracle_model_load_memory(bytes.Address, (UIntPtr)program.Length, second, (UIntPtr)parameters.Length, ref c, out ModelHandle handle));
                    return new Model(handle, bytes);
                }
            }
            finally
            {
                bytes.Release();  // the model's handle uses them
            }
        }

        public IReadOnlyList<TensorInfo> Inputs
        {
            get
            {
                var infos = new TensorInfo[(int)Native.coracle_model_input_count(Handle)];
                for (int i = 0; i < infos.Length; ++i)
                {
                    CoracleException.Check(Native.coracle_model_input(Handle, (UIntPtr)i, out coracle_tensor_info c));
                    infos[i] = new TensorInfo(ref c);
                }
                return infos;
            }
        }

        public IReadOnlyList<TensorInfo> Outputs
        {
            get
            {
                var infos = new TensorInfo[(int)Native.coracle_model_output_count(Handle)];
                for (int i = 0; i < infos.Length; ++i)
                {
                    CoracleException.Check(Native.coracle_model_output(Handle, (UIntPtr)i, out coracle_tensor_info c));
                    infos[i] = new TensorInfo(ref c);
                }
                return infos;
            }
        }

        /// <summary>The index of the input of that name, or -1.</summary>
        public int FindInput(string name) => (int)Native.coracle_model_find_input(Handle, Text.Required(name, nameof(name)));

        /// <summary>The index of the output of that name, or -1.</summary>
        public int FindOutput(string name) => (int)Native.coracle_model_find_output(Handle, Text.Required(name, nameof(name)));

        /// <summary>What is in the model, as JSON.</summary>
        public string Description => Text.At(Native.coracle_model_description(Handle));

        /// <summary>The graph after rewriting.</summary>
        public string GraphText()
        {
            Status status = Native.coracle_model_graph_text(Handle, out IntPtr text);
            return Text.Given(status, text);
        }

        /// <summary>Which engines the model uses and for what, as JSON.</summary>
        public string Engines()
        {
            Status status = Native.coracle_model_engines(Handle, out IntPtr text);
            return Text.Given(status, text);
        }

        /// <summary>Writes it, as it is after rewriting, to one file that loads like any model; `packed`: with the packed weights of the runs so far.</summary>
        public void Save(string path, bool packed = false)
        {
            byte[] name = Text.Required(path, nameof(path));
            CoracleException.Check(packed ? Native.coracle_model_save_packed(Handle, name) : Native.coracle_model_save(Handle, name));
        }

        /// <summary>Fails unless the files that it was loaded from are, by size and time, as they were.</summary>
        public void CheckFiles() => CoracleException.Check(Native.coracle_model_check(Handle));

        /// <summary>Frees it when no session uses it any more.</summary>
        public void Dispose() => Handle.Dispose();
    }
}
