// SPDX-License-Identifier: Apache-2.0
using System;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;

namespace Coracle
{
    /// <summary>How a session runs. What each does stands in coracle.h (coracle_session_options); null and 0 are the default.</summary>
    public sealed class SessionOptions
    {
        /// <summary>Of one run at most; 0: those of the pool, or Library.DefaultThreads.</summary>
        public int Threads { get; set; }
        /// <summary>Bound on the plans that the model keeps; null: the library chooses.</summary>
        public long? CacheBytes { get; set; }
        /// <summary>Bound on what a run holds, in bytes; 0: none.</summary>
        public long MemoryLimit { get; set; }
        /// <summary>Bound on the time of a run.</summary>
        public TimeSpan TimeLimit { get; set; }
        /// <summary>Whose threads help; null: the session has its own.</summary>
        public Pool Pool { get; set; }
        /// <summary>Processors for these: "0-3", "node1".</summary>
        public string Cpus { get; set; }
        /// <summary>Parts of a run at the same time at most.</summary>
        public int ParallelEngines { get; set; } = 1;
        /// <summary>Sizes that inputs are padded to: "ids=1..10x32..128/32".</summary>
        public string Padding { get; set; }
    }

    /// <summary>What holds for one run. What is 0 leaves it to the session's own option.</summary>
    public sealed class RunOptions
    {
        /// <summary>From the call on.</summary>
        public TimeSpan TimeLimit { get; set; }
        /// <summary>In bytes.</summary>
        public long MemoryLimit { get; set; }

        internal static coracle_run_options ToNative(RunOptions options, IntPtr cancelled)
        {
            Native.coracle_run_options_init(out coracle_run_options c, Sizes.Of<coracle_run_options>());
            c.cancelled = cancelled;
            if (options == null) return c;
            c.time_limit_ms = Sizes.Milliseconds(options.TimeLimit);
            c.memory_limit = Sizes.Of(options.MemoryLimit, nameof(MemoryLimit));
            return c;
        }
    }

    /// <summary>
    /// Runs a model, for one thread at a time: a call while another one goes on is a CoracleException. For runs at the same
    /// time there are several sessions of one model.
    /// </summary>
    public sealed class Session : IDisposable
    {
        private readonly SessionHandle handle;
        private readonly Memory bytes;  // that the model was loaded from

        /// <summary>The session keeps the model.</summary>
        public Session(Model model, SessionOptions options = null)
        {
            if (model == null) throw new ArgumentNullException(nameof(model));
            options = options ?? new SessionOptions();
            Native.coracle_session_options_init(out coracle_session_options c, Sizes.Of<coracle_session_options>());
            c.threads = options.Threads;
            if (options.CacheBytes.HasValue) c.cache_bytes = Sizes.Of(options.CacheBytes.Value, nameof(options.CacheBytes));
            c.memory_limit = Sizes.Of(options.MemoryLimit, nameof(options.MemoryLimit));
            c.time_limit_ms = Sizes.Milliseconds(options.TimeLimit);
            c.parallel_engines = options.ParallelEngines;
            bool added = false;
            bool pooled = false;
            try
            {
                model.Handle.DangerousAddRef(ref added);  // so that the bytes stay meanwhile
                options.Pool?.Handle.DangerousAddRef(ref pooled);
                using (var texts = new Texts())
                {
                    c.pool = options.Pool?.Handle.DangerousGetHandle() ?? IntPtr.Zero;
                    c.cpus = texts.Add(options.Cpus);
                    c.padding = texts.Add(options.Padding);
                    CoracleException.Check(Native.coracle_session_create(model.Handle, ref c, out handle));
                }
                bytes = model.Bytes;
                handle.Keep(bytes);
            }
            finally
            {
                if (pooled) options.Pool.Handle.DangerousRelease();
                if (added) model.Handle.DangerousRelease();
            }
        }

        private Session(SessionHandle handle, Memory bytes)
        {
            this.handle = handle;
            this.bytes = bytes;
            handle.Keep(bytes);
        }

        /// <summary>A second session with the same model and options, without its inputs.</summary>
        public Session Clone()
        {
            bool added = false;
            try
            {
                handle.DangerousAddRef(ref added);  // so that the bytes stay meanwhile
                CoracleException.Check(Native.coracle_session_clone(handle, out SessionHandle clone));
                return new Session(clone, bytes);
            }
            finally
            {
                if (added) handle.DangerousRelease();
            }
        }

        /// <summary>Sets an input by copying. Inputs keep their content from run to run.</summary>
        public void SetInput<T>(int index, long[] dims, params T[] values) where T : struct
        {
            if (values == null) throw new ArgumentNullException(nameof(values));
            ElementType type = Elements.TypeOf<T>();
            long count = Elements.Count(dims);
            if (count != values.LongLength) throw new ArgumentException("the shape [" + string.Join(", ", dims) + "] has " + count + " elements, given " + values.LongLength);
            Elements.Pinned(values, data => CoracleException.Check(Native.coracle_session_set_input(handle, Sizes.Index(index), type, dims.Length, dims, data)));
        }

        /// <summary>Sets an input of any element type by copying the bytes of its elements.</summary>
        public void SetInputBytes(int index, ElementType type, long[] dims, byte[] bytes)
        {
            if (bytes == null) throw new ArgumentNullException(nameof(bytes));
            long count = Elements.Count(dims);
            int size = Elements.SizeOf(type);
            if (size == 0) throw new ArgumentException((int)type + " is no element type");
            if (bytes.LongLength % size != 0 || bytes.LongLength / size != count)
                throw new ArgumentException("the shape [" + string.Join(", ", dims) + "] has " + count + " elements, given " + bytes.LongLength + " bytes, " + size + " for each");
            Elements.Pinned(bytes, data => CoracleException.Check(Native.coracle_session_set_input(handle, Sizes.Index(index), type, dims.Length, dims, data)));
        }

        /// <summary>Sets the sequence offsets of an input that was set before, coarsest level first; none take them away.</summary>
        public void SetInputLod(int index, params long[][] lod)
        {
            if (lod == null) throw new ArgumentNullException(nameof(lod));
            UIntPtr[] sizes = Array.ConvertAll(lod, level => (UIntPtr)(level ?? throw new ArgumentNullException(nameof(lod))).Length);
            var offsets = new System.Collections.Generic.List<UIntPtr>();
            foreach (long[] level in lod)
            {
                foreach (long offset in level) offsets.Add(Sizes.Of(offset, nameof(lod)));
            }
            CoracleException.Check(Native.coracle_session_set_input_lod(handle, Sizes.Index(index), (UIntPtr)lod.Length, sizes, offsets.ToArray()));
        }

        /// <summary>Runs the model on its inputs; the token ends it with an OperationCanceledException.</summary>
        public void Run(RunOptions options = null, CancellationToken token = default(CancellationToken))
        {
            token.ThrowIfCancellationRequested();
            using (var flag = new CancelFlag(token))
            {
                coracle_run_options c = RunOptions.ToNative(options, flag.Address);
                Status status = Native.coracle_session_run_with(handle, ref c);
                if (status == Status.Ok) return;
                CoracleException failure = CoracleException.Last(status);
                if (status == Status.Cancelled && token.IsCancellationRequested) throw new OperationCanceledException(failure.Message, failure, token);
                throw failure;
            }
        }

        /// <summary>
        /// Runs it in a thread of the library's; the task tells of its end. Until then every other call for the session is a
        /// CoracleException, and disposing of it frees it after the run.
        /// </summary>
        public Task RunAsync(RunOptions options = null, CancellationToken token = default(CancellationToken)) => AsyncRun.Start(handle, options, token);

        /// <summary>A copy of a result of the last run; T must be its element type.</summary>
        public Tensor<T> Output<T>(int index) where T : struct
        {
            ElementType type = Elements.TypeOf<T>();
            CoracleException.Check(Native.coracle_session_output(handle, Sizes.Index(index), out coracle_tensor_view view));
            if (type != view.dtype)
                throw new InvalidOperationException("the output has elements of type " + Elements.NameOf(view.dtype) + ", asked for " + Elements.NameOf(type));
            return Copied<T>(index, ref view, (long)view.bytes / Elements.SizeOf(type));
        }

        /// <summary>The same with the bytes of its elements, whatever their type.</summary>
        public Tensor<byte> OutputBytes(int index)
        {
            CoracleException.Check(Native.coracle_session_output(handle, Sizes.Index(index), out coracle_tensor_view view));
            return Copied<byte>(index, ref view, (long)view.bytes);
        }

        private Tensor<T> Copied<T>(int index, ref coracle_tensor_view view, long count) where T : struct
        {
            UIntPtr bytes = view.bytes;
            T[] values = Elements.Written<T>(count, data => CoracleException.Check(Native.coracle_session_copy_output(handle, Sizes.Index(index), data, bytes)));
            var lod = new long[(int)view.lod_levels][];
            for (int level = 0; level < lod.Length; ++level)
            {
                CoracleException.Check(Native.coracle_session_output_lod(handle, Sizes.Index(index), (UIntPtr)level, out IntPtr offsets, out UIntPtr size));
                lod[level] = new long[(int)size];
                for (int i = 0; i < lod[level].Length; ++i) lod[level][i] = (long)Marshal.ReadIntPtr(offsets, i * IntPtr.Size);
            }
            return new Tensor<T>(view.dtype, Dims(ref view), values, lod);
        }

        private static long[] Dims(ref coracle_tensor_view view)
        {
            var dims = new long[view.rank];
            Array.Copy(view.dims, dims, view.rank);
            return dims;
        }

        /// <summary>A copy of a variable that ModelOptions.KeepTensors keeps; T must be its element type.</summary>
        public Tensor<T> Tensor<T>(string name) where T : struct
        {
            ElementType type = Elements.TypeOf<T>();
            bool added = false;
            try
            {
                handle.DangerousAddRef(ref added);  // what the view shows stays meanwhile
                CoracleException.Check(Native.coracle_session_tensor(handle, Text.Required(name, nameof(name)), out coracle_tensor_view view));
                if (type != view.dtype)
                    throw new InvalidOperationException("the tensor has elements of type " + Elements.NameOf(view.dtype) + ", asked for " + Elements.NameOf(type));
                var bytes = new byte[(long)view.bytes];
                if (bytes.Length > 0) Marshal.Copy(view.data, bytes, 0, bytes.Length);
                T[] values = Elements.Written<T>(bytes.Length / Elements.SizeOf(type), data => Marshal.Copy(bytes, 0, data, bytes.Length));
                return new Tensor<T>(view.dtype, Dims(ref view), values, new long[0][]);
            }
            finally
            {
                if (added) handle.DangerousRelease();
            }
        }

        /// <summary>Turns per-operator timing on or off.</summary>
        public void SetProfiling(bool on) => CoracleException.Check(Native.coracle_session_set_profiling(handle, on ? 1 : 0));

        /// <summary>The timings of the last run, as JSON.</summary>
        public string Profile()
        {
            CoracleException.Check(Native.coracle_session_profile(handle, out IntPtr json));
            return Text.At(json);
        }

        /// <summary>The kernel of each node for the inputs set now, as JSON.</summary>
        public string Explain()
        {
            CoracleException.Check(Native.coracle_session_explain(handle, out IntPtr json));
            return Text.At(json);
        }

        /// <summary>Bytes of the tensors that a run with the inputs set now would take.</summary>
        public long PlannedMemory()
        {
            CoracleException.Check(Native.coracle_session_planned_memory(handle, out UIntPtr size));
            return (long)size;
        }

        /// <summary>Gives back what can be made again, and says about how many bytes that was.</summary>
        public long ReleaseMemory()
        {
            CoracleException.Check(Native.coracle_session_release_memory(handle, out UIntPtr size));
            return (long)size;
        }

        /// <summary>Frees it, after a run that goes on.</summary>
        public void Dispose() => handle.Dispose();
    }
}
