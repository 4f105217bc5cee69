// SPDX-License-Identifier: Apache-2.0
// Made by scripts/bindings/check.py from include/coracle/coracle.h and include/coracle/device.h.
use crate::c::*;

pub const CORACLE_MAX_RANK: usize = 9;
opaque!(coracle_model);
opaque!(coracle_session);
opaque!(coracle_pool);

pub type coracle_status = c_uint;
pub const CORACLE_OK: coracle_status = 0;
pub const CORACLE_INVALID_ARGUMENT: coracle_status = 1;
pub const CORACLE_INVALID_MODEL: coracle_status = 2;
pub const CORACLE_UNSUPPORTED: coracle_status = 3;
pub const CORACLE_IO: coracle_status = 4;
pub const CORACLE_OUT_OF_MEMORY: coracle_status = 5;
pub const CORACLE_RUN_FAILURE: coracle_status = 6;
pub const CORACLE_CANCELLED: coracle_status = 7;

pub type coracle_dtype = c_uint;
pub const CORACLE_BOOL: coracle_dtype = 0;
pub const CORACLE_INT8: coracle_dtype = 1;
pub const CORACLE_UINT8: coracle_dtype = 2;
pub const CORACLE_INT16: coracle_dtype = 3;
pub const CORACLE_INT32: coracle_dtype = 4;
pub const CORACLE_INT64: coracle_dtype = 5;
pub const CORACLE_FLOAT16: coracle_dtype = 6;
pub const CORACLE_BFLOAT16: coracle_dtype = 7;
pub const CORACLE_FLOAT32: coracle_dtype = 8;
pub const CORACLE_FLOAT64: coracle_dtype = 9;
pub const CORACLE_COMPLEX64: coracle_dtype = 10;
pub const CORACLE_COMPLEX128: coracle_dtype = 11;
pub const CORACLE_FLOAT8_E4M3: coracle_dtype = 12;
pub const CORACLE_FLOAT8_E5M2: coracle_dtype = 13;

pub type coracle_log_level = c_uint;
pub const CORACLE_LOG_OFF: coracle_log_level = 0;
pub const CORACLE_LOG_WARNING: coracle_log_level = 1;
pub const CORACLE_LOG_INFO: coracle_log_level = 2;
pub const CORACLE_LOG_DEBUG: coracle_log_level = 3;

pub type coracle_log_function = Option<unsafe extern "C" fn(user: *mut c_void, level: coracle_log_level, message: *const c_char)>;

pub type coracle_pass_function = Option<unsafe extern "C" fn(user: *mut c_void, pass: *const c_char, count: i64, text: *const c_char, dot: *const c_char)>;

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct coracle_model_options {
    pub struct_size: usize,
    pub cpu_isa: *const c_char,
    pub disable_passes: *const c_char,
    pub max_rewrites: i64,
    pub disable_kernels: *const c_char,
    pub keep_tensors: *const c_char,
    pub after_pass: coracle_pass_function,
    pub after_pass_user: *mut c_void,
    pub precision: *const c_char,
    pub emulate_tiles: i32,
    pub time_limit_ms: i64,
    pub weights: *const c_char,
    pub cancelled: *const u32,
    pub check_declared_sizes: i32,
    pub check_weights: i32,
    pub weights_cache_bytes: usize,
    pub device: *const c_char,
    pub engines: *const c_char,
    pub min_ops: i64,
    pub marks: *const c_char,
    pub shapes: *const c_char,
    pub allow_outside_links: i32,
    pub operators: *const c_void,
    pub operator_count: usize,
}

pub type coracle_read_function = Option<unsafe extern "C" fn(user: *mut c_void, name: *const c_char, data: *mut *const c_void, size: *mut usize) -> c_int>;

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct coracle_new_file {
    pub path: *const c_char,
    pub data: *const c_void,
    pub size: usize,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct coracle_tensor_info {
    pub name: *const c_char,
    pub dtype: coracle_dtype,
    pub rank: i32,
    pub dims: [i64; CORACLE_MAX_RANK],
    pub lod_levels: i32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct coracle_session_options {
    pub struct_size: usize,
    pub threads: i32,
    pub cache_bytes: usize,
    pub memory_limit: usize,
    pub time_limit_ms: i64,
    pub pool: *const coracle_pool,
    pub cpus: *const c_char,
    pub parallel_engines: i32,
    pub padding: *const c_char,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct coracle_run_options {
    pub struct_size: usize,
    pub time_limit_ms: i64,
    pub memory_limit: usize,
    pub cancelled: *const u32,
}

pub type coracle_run_function = Option<unsafe extern "C" fn(user: *mut c_void, status: coracle_status)>;

pub type coracle_observe_function = Option<unsafe extern "C" fn(user: *mut c_void, value: *const coracle_node_value) -> c_int>;

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct coracle_tensor_view {
    pub data: *const c_void,
    pub bytes: usize,
    pub dtype: coracle_dtype,
    pub rank: i32,
    pub dims: [i64; CORACLE_MAX_RANK],
    pub lod_levels: usize,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct coracle_node_value {
    pub node: *const c_char,
    pub op: *const c_char,
    pub name: *const c_char,
    pub is_result: i32,
    pub is_constant: i32,
    pub tensor: coracle_tensor_view,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct coracle_machine_limits {
    pub flops_per_second: f64,
    pub bytes_per_second: f64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct coracle_memory {
    pub arena: usize,
    pub plans: usize,
}
opaque!(coracle_device_tensor);

pub type coracle_release_function = Option<unsafe extern "C" fn(user: *mut c_void)>;

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct coracle_device_address {
    pub data: *mut c_void,
    pub device: *const c_char,
    pub number: i32,
}

extern "C" {
    pub fn coracle_version() -> *const c_char;
    pub fn coracle_last_error() -> *const c_char;
    pub fn coracle_set_last_error(message: *const c_char);
    pub fn coracle_dtype_size(dtype: coracle_dtype) -> usize;
    pub fn coracle_dtype_name(dtype: coracle_dtype) -> *const c_char;
    pub fn coracle_cpu_isa() -> *const c_char;
    pub fn coracle_devices(json: *mut *mut c_char) -> coracle_status;
    pub fn coracle_find_device(device: *const c_char, missing: *mut *mut c_char) -> coracle_status;
    pub fn coracle_engines(names: *const c_char, json: *mut *mut c_char) -> coracle_status;
    pub fn coracle_set_logger(level: coracle_log_level, log: coracle_log_function, user: *mut c_void) -> coracle_status;
    pub fn coracle_load_operators(path: *const c_char) -> coracle_status;
    pub fn coracle_pass_name(index: usize) -> *const c_char;
    pub fn coracle_model_options_init(options: *mut coracle_model_options, struct_size: usize);
    pub fn coracle_model_load(path: *const c_char, params_path: *const c_char, options: *const coracle_model_options, model: *mut *mut coracle_model) -> coracle_status;
    pub fn coracle_model_load_memory(program: *const c_void, program_size: usize, params: *const c_void, params_size: usize, options: *const coracle_model_options, model: *mut *mut coracle_model) -> coracle_status;
    pub fn coracle_model_load_callback(path: *const c_char, params_path: *const c_char, read: coracle_read_function, user: *mut c_void, options: *const coracle_model_options, model: *mut *mut coracle_model) -> coracle_status;
    pub fn coracle_model_file(path: *const c_char, name: *const c_char, max_size: usize, read: coracle_read_function, user: *mut c_void, data: *mut *mut c_char, size: *mut usize) -> coracle_status;
    pub fn coracle_model_free(model: *mut coracle_model);
    pub fn coracle_write_files(files: *const coracle_new_file, count: usize) -> coracle_status;
    pub fn coracle_model_save(model: *const coracle_model, path: *const c_char) -> coracle_status;
    pub fn coracle_model_save_packed(model: *const coracle_model, path: *const c_char) -> coracle_status;
    pub fn coracle_model_packed_bytes(model: *const coracle_model) -> usize;
    pub fn coracle_model_plan_bytes(model: *const coracle_model) -> usize;
    pub fn coracle_model_engine_bytes(model: *const coracle_model) -> usize;
    pub fn coracle_model_engines(model: *const coracle_model, json: *mut *mut c_char) -> coracle_status;
    pub fn coracle_model_device_bytes(model: *const coracle_model) -> usize;
    pub fn coracle_model_check(model: *const coracle_model) -> coracle_status;
    pub fn coracle_model_input_count(model: *const coracle_model) -> usize;
    pub fn coracle_model_output_count(model: *const coracle_model) -> usize;
    pub fn coracle_model_input(model: *const coracle_model, index: usize, info: *mut coracle_tensor_info) -> coracle_status;
    pub fn coracle_model_output(model: *const coracle_model, index: usize, info: *mut coracle_tensor_info) -> coracle_status;
    pub fn coracle_model_find_input(model: *const coracle_model, name: *const c_char) -> i64;
    pub fn coracle_model_find_output(model: *const coracle_model, name: *const c_char) -> i64;
    pub fn coracle_model_description(model: *const coracle_model) -> *const c_char;
    pub fn coracle_inspect(path: *const c_char, params_path: *const c_char, json: *mut *mut c_char) -> coracle_status;
    pub fn coracle_string_free(text: *mut c_char);
    pub fn coracle_model_graph_text(model: *const coracle_model, text: *mut *mut c_char) -> coracle_status;
    pub fn coracle_default_threads() -> i32;
    pub fn coracle_pool_create(threads: i32, pool: *mut *mut coracle_pool) -> coracle_status;
    pub fn coracle_pool_create_on(cpus: *const c_char, threads: i32, pool: *mut *mut coracle_pool) -> coracle_status;
    pub fn coracle_pool_threads(pool: *const coracle_pool) -> i32;
    pub fn coracle_pool_free(pool: *mut coracle_pool);
    pub fn coracle_bind_thread(cpus: *const c_char) -> coracle_status;
    pub fn coracle_session_options_init(options: *mut coracle_session_options, struct_size: usize);
    pub fn coracle_session_create(model: *const coracle_model, options: *const coracle_session_options, session: *mut *mut coracle_session) -> coracle_status;
    pub fn coracle_session_clone(session: *const coracle_session, clone: *mut *mut coracle_session) -> coracle_status;
    pub fn coracle_session_free(session: *mut coracle_session);
    pub fn coracle_session_set_input(session: *mut coracle_session, index: usize, dtype: coracle_dtype, rank: i32, dims: *const i64, data: *const c_void) -> coracle_status;
    pub fn coracle_session_borrow_input(session: *mut coracle_session, index: usize, dtype: coracle_dtype, rank: i32, dims: *const i64, data: *const c_void) -> coracle_status;
    pub fn coracle_session_set_input_lod(session: *mut coracle_session, index: usize, levels: usize, sizes: *const usize, offsets: *const usize) -> coracle_status;
    pub fn coracle_session_bind_output(session: *mut coracle_session, index: usize, data: *mut c_void, bytes: usize) -> coracle_status;
    pub fn coracle_session_select_outputs(session: *mut coracle_session, names: *const *const c_char, count: usize) -> coracle_status;
    pub fn coracle_session_run(session: *mut coracle_session) -> coracle_status;
    pub fn coracle_run_options_init(options: *mut coracle_run_options, struct_size: usize);
    pub fn coracle_session_run_with(session: *mut coracle_session, options: *const coracle_run_options) -> coracle_status;
    pub fn coracle_session_run_async(session: *mut coracle_session, options: *const coracle_run_options, done: coracle_run_function, user: *mut c_void) -> coracle_status;
    pub fn coracle_session_wait(session: *const coracle_session) -> coracle_status;
    pub fn coracle_session_cancel(session: *mut coracle_session) -> coracle_status;
    pub fn coracle_session_set_observer(session: *mut coracle_session, observe: coracle_observe_function, user: *mut c_void) -> coracle_status;
    pub fn coracle_session_output(session: *const coracle_session, index: usize, view: *mut coracle_tensor_view) -> coracle_status;
    pub fn coracle_session_copy_output(session: *const coracle_session, index: usize, data: *mut c_void, bytes: usize) -> coracle_status;
    pub fn coracle_session_output_lod(session: *const coracle_session, index: usize, level: usize, offsets: *mut *const usize, size: *mut usize) -> coracle_status;
    pub fn coracle_session_tensor(session: *const coracle_session, name: *const c_char, view: *mut coracle_tensor_view) -> coracle_status;
    pub fn coracle_session_set_profiling(session: *mut coracle_session, on: i32) -> coracle_status;
    pub fn coracle_session_profile(session: *const coracle_session, json: *mut *const c_char) -> coracle_status;
    pub fn coracle_session_machine_limits(session: *mut coracle_session, limits: *mut coracle_machine_limits) -> coracle_status;
    pub fn coracle_session_explain(session: *mut coracle_session, json: *mut *const c_char) -> coracle_status;
    pub fn coracle_session_graph_text(session: *mut coracle_session, text: *mut *mut c_char) -> coracle_status;
    pub fn coracle_session_planned_memory(session: *mut coracle_session, bytes: *mut usize) -> coracle_status;
    pub fn coracle_session_memory(session: *const coracle_session, memory: *mut coracle_memory) -> coracle_status;
    pub fn coracle_session_device_memory(session: *const coracle_session, bytes: *mut usize) -> coracle_status;
    pub fn coracle_session_release_memory(session: *mut coracle_session, bytes: *mut usize) -> coracle_status;
    pub fn coracle_memory_total() -> usize;
    pub fn coracle_session_keep_output_on_device(session: *mut coracle_session, index: usize) -> coracle_status;
    pub fn coracle_session_output_on_device(session: *const coracle_session, index: usize, tensor: *mut *mut coracle_device_tensor) -> coracle_status;
    pub fn coracle_session_set_input_on_device(session: *mut coracle_session, index: usize, tensor: *const coracle_device_tensor) -> coracle_status;
    pub fn coracle_device_tensor_view(tensor: *const coracle_device_tensor, view: *mut coracle_tensor_view) -> coracle_status;
    pub fn coracle_device_tensor_copy(tensor: *const coracle_device_tensor, data: *mut c_void, bytes: usize) -> coracle_status;
    pub fn coracle_device_tensor_free(tensor: *mut coracle_device_tensor);
    pub fn coracle_device_tensor_wrap(device: *const c_char, dtype: coracle_dtype, rank: i32, dims: *const i64, data: *mut c_void, stream: *mut c_void, release: coracle_release_function, user: *mut c_void, tensor: *mut *mut coracle_device_tensor) -> coracle_status;
    pub fn coracle_device_tensor_address(tensor: *const coracle_device_tensor, address: *mut coracle_device_address) -> coracle_status;
    pub fn coracle_session_bind_output_on_device(session: *mut coracle_session, index: usize, tensor: *const coracle_device_tensor) -> coracle_status;
    pub fn coracle_session_set_stream(session: *mut coracle_session, stream: *mut c_void) -> coracle_status;
    pub fn coracle_device_tensor_from_dlpack(managed: *mut c_void, versioned: i32, stream: *mut c_void, tensor: *mut *mut coracle_device_tensor) -> coracle_status;
    pub fn coracle_device_tensor_to_dlpack(tensor: *const coracle_device_tensor, versioned: i32, stream: *mut c_void, managed: *mut *mut c_void) -> coracle_status;
}

/// Appends a line for each struct and field: its size, and of a field its place before it.
pub(crate) fn layout(lines: &mut Vec<String>) {
    layout!(lines, coracle_model_options, struct_size, cpu_isa, disable_passes, max_rewrites, disable_kernels, keep_tensors, after_pass, after_pass_user, precision, emulate_tiles, time_limit_ms, weights, cancelled, check_declared_sizes, check_weights, weights_cache_bytes, device, engines, min_ops, marks, shapes, allow_outside_links, operators, operator_count);
    layout!(lines, coracle_new_file, path, data, size);
    layout!(lines, coracle_tensor_info, name, dtype, rank, dims, lod_levels);
    layout!(lines, coracle_session_options, struct_size, threads, cache_bytes, memory_limit, time_limit_ms, pool, cpus, parallel_engines, padding);
    layout!(lines, coracle_run_options, struct_size, time_limit_ms, memory_limit, cancelled);
    layout!(lines, coracle_tensor_view, data, bytes, dtype, rank, dims, lod_levels);
    layout!(lines, coracle_node_value, node, op, name, is_result, is_constant, tensor);
    layout!(lines, coracle_machine_limits, flops_per_second, bytes_per_second);
    layout!(lines, coracle_memory, arena, plans);
    layout!(lines, coracle_device_address, data, device, number);
}
