// SPDX-License-Identifier: Apache-2.0
// Made by scripts/bindings/check.py from include/coracle/coracle.h and include/coracle/device.h.
using System;
using System.Runtime.InteropServices;

namespace Coracle
{
    internal sealed class ModelHandle : Handle
    {
        protected override void Free(IntPtr handle) { Native.coracle_model_free(handle); }
    }

    internal sealed class SessionHandle : Handle
    {
        protected override void Free(IntPtr handle) { Native.coracle_session_free(handle); }
    }

    internal sealed class PoolHandle : Handle
    {
        protected override void Free(IntPtr handle) { Native.coracle_pool_free(handle); }
    }

    public enum Status
    {
        Ok = 0,
        InvalidArgument = 1,
        InvalidModel = 2,
        Unsupported = 3,
        IO = 4,
        OutOfMemory = 5,
        RunFailure = 6,
        Cancelled = 7,
    }

    public enum ElementType
    {
        Bool = 0,
        Int8 = 1,
        UInt8 = 2,
        Int16 = 3,
        Int32 = 4,
        Int64 = 5,
        Float16 = 6,
        BFloat16 = 7,
        Float32 = 8,
        Float64 = 9,
        Complex64 = 10,
        Complex128 = 11,
        Float8E4M3 = 12,
        Float8E5M2 = 13,
    }

    internal enum LogLevel
    {
        Off = 0,
        Warning = 1,
        Info = 2,
        Debug = 3,
    }

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    internal delegate void LogFunction(IntPtr user, LogLevel level, IntPtr message);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    internal delegate void PassFunction(IntPtr user, IntPtr pass, long count, IntPtr text, IntPtr dot);

    [StructLayout(LayoutKind.Sequential)]
    internal struct coracle_model_options
    {
        public UIntPtr struct_size;
        public IntPtr cpu_isa;
        public IntPtr disable_passes;
        public long max_rewrites;
        public IntPtr disable_kernels;
        public IntPtr keep_tensors;
        public IntPtr after_pass;
        public IntPtr after_pass_user;
        public IntPtr precision;
        public int emulate_tiles;
        public long time_limit_ms;
        public IntPtr weights;
        public IntPtr cancelled;
        public int check_declared_sizes;
        public int check_weights;
        public UIntPtr weights_cache_bytes;
        public IntPtr device;
        public IntPtr engines;
        public long min_ops;
        public IntPtr marks;
        public IntPtr shapes;
        public int allow_outside_links;
        public IntPtr operators;
        public UIntPtr operator_count;
    }

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    internal delegate int ReadFunction(IntPtr user, IntPtr name, IntPtr data, IntPtr size);

    [StructLayout(LayoutKind.Sequential)]
    internal struct coracle_new_file
    {
        public IntPtr path;
        public IntPtr data;
        public UIntPtr size;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct coracle_tensor_info
    {
        public IntPtr name;
        public ElementType dtype;
        public int rank;
        [MarshalAs(UnmanagedType.ByValArray, SizeConst = 9)] public long[] dims;
        public int lod_levels;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct coracle_session_options
    {
        public UIntPtr struct_size;
        public int threads;
        public UIntPtr cache_bytes;
        public UIntPtr memory_limit;
        public long time_limit_ms;
        public IntPtr pool;
        public IntPtr cpus;
        public int parallel_engines;
        public IntPtr padding;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct coracle_run_options
    {
        public UIntPtr struct_size;
        public long time_limit_ms;
        public UIntPtr memory_limit;
        public IntPtr cancelled;
    }

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    internal delegate void RunFunction(IntPtr user, Status status);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    internal delegate int ObserveFunction(IntPtr user, IntPtr value);

    [StructLayout(LayoutKind.Sequential)]
    internal struct coracle_tensor_view
    {
        public IntPtr data;
        public UIntPtr bytes;
        public ElementType dtype;
        public int rank;
        [MarshalAs(UnmanagedType.ByValArray, SizeConst = 9)] public long[] dims;
        public UIntPtr lod_levels;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct coracle_node_value
    {
        public IntPtr node;
        public IntPtr op;
        public IntPtr name;
        public int is_result;
        public int is_constant;
        public coracle_tensor_view tensor;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct coracle_machine_limits
    {
        public double flops_per_second;
        public double bytes_per_second;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct coracle_memory
    {
        public UIntPtr arena;
        public UIntPtr plans;
    }

    internal sealed class DeviceTensorHandle : Handle
    {
        protected override void Free(IntPtr handle) { Native.coracle_device_tensor_free(handle); }
    }

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    internal delegate void ReleaseFunction(IntPtr user);

    [StructLayout(LayoutKind.Sequential)]
    internal struct coracle_device_address
    {
        public IntPtr data;
        public IntPtr device;
        public int number;
    }

    internal static class Native
    {
        const string Library = "coracle";
        public const int CORACLE_MAX_RANK = 9;

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern IntPtr coracle_version();

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern IntPtr coracle_last_error();

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern void coracle_set_last_error(byte[] message);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern UIntPtr coracle_dtype_size(ElementType dtype);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern IntPtr coracle_dtype_name(ElementType dtype);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern IntPtr coracle_cpu_isa();

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_devices(out IntPtr json);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_find_device(byte[] device, out IntPtr missing);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_engines(byte[] names, out IntPtr json);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_set_logger(LogLevel level, LogFunction log, IntPtr user);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_load_operators(byte[] path);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern IntPtr coracle_pass_name(UIntPtr index);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern void coracle_model_options_init(out coracle_model_options options, UIntPtr struct_size);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_model_load(byte[] path, byte[] params_path, ref coracle_model_options options, out ModelHandle model);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_model_load_memory(IntPtr program, UIntPtr program_size, IntPtr @params, UIntPtr params_size, ref coracle_model_options options, out ModelHandle model);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_model_load_callback(byte[] path, byte[] params_path, ReadFunction read, IntPtr user, ref coracle_model_options options, out ModelHandle model);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_model_file(byte[] path, byte[] name, UIntPtr max_size, ReadFunction read, IntPtr user, out IntPtr data, out UIntPtr size);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern void coracle_model_free(IntPtr model);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_write_files(ref coracle_new_file files, UIntPtr count);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_model_save(ModelHandle model, byte[] path);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_model_save_packed(ModelHandle model, byte[] path);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern UIntPtr coracle_model_packed_bytes(ModelHandle model);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern UIntPtr coracle_model_plan_bytes(ModelHandle model);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern UIntPtr coracle_model_engine_bytes(ModelHandle model);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_model_engines(ModelHandle model, out IntPtr json);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern UIntPtr coracle_model_device_bytes(ModelHandle model);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_model_check(ModelHandle model);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern UIntPtr coracle_model_input_count(ModelHandle model);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern UIntPtr coracle_model_output_count(ModelHandle model);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_model_input(ModelHandle model, UIntPtr index, out coracle_tensor_info info);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_model_output(ModelHandle model, UIntPtr index, out coracle_tensor_info info);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern long coracle_model_find_input(ModelHandle model, byte[] name);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern long coracle_model_find_output(ModelHandle model, byte[] name);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern IntPtr coracle_model_description(ModelHandle model);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_inspect(byte[] path, byte[] params_path, out IntPtr json);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern void coracle_string_free(IntPtr text);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_model_graph_text(ModelHandle model, out IntPtr text);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern int coracle_default_threads();

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_pool_create(int threads, out PoolHandle pool);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_pool_create_on(byte[] cpus, int threads, out PoolHandle pool);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern int coracle_pool_threads(PoolHandle pool);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern void coracle_pool_free(IntPtr pool);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_bind_thread(byte[] cpus);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern void coracle_session_options_init(out coracle_session_options options, UIntPtr struct_size);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_session_create(ModelHandle model, ref coracle_session_options options, out SessionHandle session);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_session_clone(SessionHandle session, out SessionHandle clone);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern void coracle_session_free(IntPtr session);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_session_set_input(SessionHandle session, UIntPtr index, ElementType dtype, int rank, long[] dims, IntPtr data);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_session_borrow_input(SessionHandle session, UIntPtr index, ElementType dtype, int rank, long[] dims, IntPtr data);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_session_set_input_lod(SessionHandle session, UIntPtr index, UIntPtr levels, UIntPtr[] sizes, UIntPtr[] offsets);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_session_bind_output(SessionHandle session, UIntPtr index, IntPtr data, UIntPtr bytes);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_session_select_outputs(SessionHandle session, IntPtr names, UIntPtr count);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_session_run(SessionHandle session);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern void coracle_run_options_init(out coracle_run_options options, UIntPtr struct_size);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_session_run_with(SessionHandle session, ref coracle_run_options options);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_session_run_async(SessionHandle session, ref coracle_run_options options, RunFunction done, IntPtr user);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_session_wait(SessionHandle session);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_session_cancel(SessionHandle session);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_session_set_observer(SessionHandle session, ObserveFunction observe, IntPtr user);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_session_output(SessionHandle session, UIntPtr index, out coracle_tensor_view view);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_session_copy_output(SessionHandle session, UIntPtr index, IntPtr data, UIntPtr bytes);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_session_output_lod(SessionHandle session, UIntPtr index, UIntPtr level, out IntPtr offsets, out UIntPtr size);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_session_tensor(SessionHandle session, byte[] name, out coracle_tensor_view view);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_session_set_profiling(SessionHandle session, int on);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_session_profile(SessionHandle session, out IntPtr json);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_session_machine_limits(SessionHandle session, out coracle_machine_limits limits);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_session_explain(SessionHandle session, out IntPtr json);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_session_graph_text(SessionHandle session, out IntPtr text);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_session_planned_memory(SessionHandle session, out UIntPtr bytes);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_session_memory(SessionHandle session, out coracle_memory memory);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_session_device_memory(SessionHandle session, out UIntPtr bytes);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_session_release_memory(SessionHandle session, out UIntPtr bytes);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern UIntPtr coracle_memory_total();

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_session_keep_output_on_device(SessionHandle session, UIntPtr index);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_session_output_on_device(SessionHandle session, UIntPtr index, out DeviceTensorHandle tensor);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_session_set_input_on_device(SessionHandle session, UIntPtr index, DeviceTensorHandle tensor);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_device_tensor_view(DeviceTensorHandle tensor, out coracle_tensor_view view);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_device_tensor_copy(DeviceTensorHandle tensor, IntPtr data, UIntPtr bytes);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern void coracle_device_tensor_free(IntPtr tensor);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_device_tensor_wrap(byte[] device, ElementType dtype, int rank, long[] dims, IntPtr data, IntPtr stream, ReleaseFunction release, IntPtr user, out DeviceTensorHandle tensor);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_device_tensor_address(DeviceTensorHandle tensor, out coracle_device_address address);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_session_bind_output_on_device(SessionHandle session, UIntPtr index, DeviceTensorHandle tensor);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_session_set_stream(SessionHandle session, IntPtr stream);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_device_tensor_from_dlpack(IntPtr managed, int versioned, IntPtr stream, out DeviceTensorHandle tensor);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern Status coracle_device_tensor_to_dlpack(DeviceTensorHandle tensor, int versioned, IntPtr stream, out IntPtr managed);
    }
}
