// SPDX-License-Identifier: Apache-2.0
#include <CL/cl.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

// A driver that fails when it is told to. Its work is done when it is given; kernels do nothing.
namespace {

struct Object {
  std::vector<char> memory;
};
std::atomic<int> live = 0;
std::mutex mutex;
std::string failing;
int failing_code = 0;
int skipped_calls = 0;

cl_int result_of(const char* function) {
  const std::lock_guard lock(mutex);
  if (failing != function || failing_code == 0) return CL_SUCCESS;
  if (skipped_calls > 0) {
    --skipped_calls;
    return CL_SUCCESS;
  }
  return failing_code;
}

template <class Handle>
Handle make(const char* function, cl_int* code, size_t bytes = 0) {
  const cl_int result = result_of(function);
  if (code != nullptr) *code = result;
  if (result != CL_SUCCESS) return nullptr;
  ++live;
  return reinterpret_cast<Handle>(new Object{std::vector<char>(bytes)});
}
cl_int drop(void* handle) {
  --live;
  delete static_cast<Object*>(handle);
  return CL_SUCCESS;
}
void add_event(cl_event* event) {
  if (event != nullptr) *event = make<cl_event>("event", nullptr);
}
char* memory(cl_mem buffer) { return reinterpret_cast<Object*>(buffer)->memory.data(); }

cl_int give(const void* value, size_t size, size_t room, void* to, size_t* needed) {
  if (needed != nullptr) *needed = size;
  if (to != nullptr) {
    if (room < size) return CL_INVALID_VALUE;
    std::memcpy(to, value, size);
  }
  return CL_SUCCESS;
}
cl_int give(const char* text, size_t room, void* to, size_t* needed) {
  return give(text, std::strlen(text) + 1, room, to, needed);
}
template <class T>
cl_int give(T value, size_t room, void* to, size_t* needed) {
  return give(&value, sizeof(value), room, to, needed);
}

}  // namespace

extern "C" {

void fake_opencl_fail(const char* function, int code, int skipped) {
  const std::lock_guard lock(mutex);
  failing = function;
  failing_code = code;
  skipped_calls = skipped;
}
int fake_opencl_live() { return live; }

cl_int clGetPlatformIDs(cl_uint room, cl_platform_id* to, cl_uint* count) {
  if (const cl_int code = result_of(__func__)) return code;
  if (count != nullptr) *count = 1;
  if (to != nullptr && room > 0) *to = reinterpret_cast<cl_platform_id>(&live);
  return CL_SUCCESS;
}
cl_int clGetPlatformInfo(cl_platform_id, cl_platform_info, size_t room, void* to, size_t* needed) {
  return give("Fake", room, to, needed);
}
cl_int clGetDeviceIDs(cl_platform_id, cl_device_type, cl_uint room, cl_device_id* to, cl_uint* count) {
  if (const cl_int code = result_of(__func__)) return code;
  if (count != nullptr) *count = 1;
  if (to != nullptr && room > 0) *to = reinterpret_cast<cl_device_id>(&live);
  return CL_SUCCESS;
}
cl_int clGetDeviceInfo(cl_device_id, cl_device_info name, size_t room, void* to, size_t* needed) {
  switch (name) {
    case CL_DEVICE_NAME: return give("fake device", room, to, needed);
    case CL_DEVICE_VERSION: return give("OpenCL 1.2 fake", room, to, needed);
    case CL_DEVICE_VENDOR:
    case CL_DEVICE_EXTENSIONS:
    case CL_DRIVER_VERSION: return give("1", room, to, needed);
    case CL_DEVICE_AVAILABLE:
      return give(result_of("available") == CL_SUCCESS ? cl_bool{CL_TRUE} : cl_bool{CL_FALSE}, room, to, needed);
    case CL_DEVICE_COMPILER_AVAILABLE:
    case CL_DEVICE_ENDIAN_LITTLE: return give(cl_bool{CL_TRUE}, room, to, needed);
    case CL_DEVICE_GLOBAL_MEM_SIZE: return give(cl_ulong{1} << 30U, room, to, needed);
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE: return give(cl_ulong{1} << 28U, room, to, needed);
    case CL_DEVICE_TYPE: return give(cl_device_type{CL_DEVICE_TYPE_GPU}, room, to, needed);
    default: return give(cl_uint{1}, room, to, needed);
  }
}
cl_context clCreateContext(const cl_context_properties*, cl_uint, const cl_device_id*,
                           void(CL_CALLBACK*)(const char*, const void*, size_t, void*), void*, cl_int* code) {
  return make<cl_context>(__func__, code);
}
cl_int clReleaseContext(cl_context object) { return drop(object); }
cl_command_queue clCreateCommandQueue(cl_context, cl_device_id, cl_command_queue_properties, cl_int* code) {
  return make<cl_command_queue>(__func__, code);
}
cl_int clReleaseCommandQueue(cl_command_queue object) { return drop(object); }
cl_mem clCreateBuffer(cl_context, cl_mem_flags, size_t bytes, void*, cl_int* code) {
  return make<cl_mem>(__func__, code, bytes);
}
cl_int clReleaseMemObject(cl_mem object) { return drop(object); }
void* clEnqueueMapBuffer(cl_command_queue, cl_mem buffer, cl_bool, cl_map_flags, size_t, size_t, cl_uint,
                         const cl_event*, cl_event*, cl_int* code) {
  *code = result_of(__func__);
  return *code == CL_SUCCESS ? memory(buffer) : nullptr;
}
cl_int clEnqueueUnmapMemObject(cl_command_queue, cl_mem, void*, cl_uint, const cl_event*, cl_event*) {
  return CL_SUCCESS;
}
cl_int clEnqueueWriteBuffer(cl_command_queue, cl_mem buffer, cl_bool, size_t offset, size_t bytes, const void* from,
                            cl_uint, const cl_event*, cl_event* event) {
  if (const cl_int code = result_of(__func__)) return code;
  std::memcpy(memory(buffer) + offset, from, bytes);
  add_event(event);
  return CL_SUCCESS;
}
cl_int clEnqueueReadBuffer(cl_command_queue, cl_mem buffer, cl_bool, size_t offset, size_t bytes, void* to, cl_uint,
                           const cl_event*, cl_event* event) {
  if (const cl_int code = result_of(__func__)) return code;
  std::memcpy(to, memory(buffer) + offset, bytes);
  add_event(event);
  return CL_SUCCESS;
}
cl_int clEnqueueCopyBuffer(cl_command_queue, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset, size_t bytes,
                           cl_uint, const cl_event*, cl_event* event) {
  if (const cl_int code = result_of(__func__)) return code;
  std::memmove(memory(to) + to_offset, memory(from) + from_offset, bytes);
  add_event(event);
  return CL_SUCCESS;
}
cl_int clEnqueueMarkerWithWaitList(cl_command_queue, cl_uint, const cl_event*, cl_event* event) {
  if (const cl_int code = result_of(__func__)) return code;
  add_event(event);
  return CL_SUCCESS;
}
cl_int clEnqueueBarrierWithWaitList(cl_command_queue, cl_uint, const cl_event*, cl_event* event) {
  if (const cl_int code = result_of(__func__)) return code;
  add_event(event);
  return CL_SUCCESS;
}
cl_int clEnqueueNDRangeKernel(cl_command_queue, cl_kernel, cl_uint, const size_t*, const size_t*, const size_t*,
                              cl_uint, const cl_event*, cl_event* event) {
  if (const cl_int code = result_of(__func__)) return code;
  add_event(event);
  return CL_SUCCESS;
}
cl_int clFlush(cl_command_queue) { return CL_SUCCESS; }
cl_int clFinish(cl_command_queue) { return result_of(__func__); }
cl_int clWaitForEvents(cl_uint, const cl_event*) { return result_of(__func__); }
cl_int clReleaseEvent(cl_event object) { return drop(object); }
cl_int clGetEventProfilingInfo(cl_event, cl_profiling_info, size_t, void*, size_t*) {
  return CL_PROFILING_INFO_NOT_AVAILABLE;
}
cl_program clCreateProgramWithSource(cl_context, cl_uint, const char**, const size_t*, cl_int* code) {
  return make<cl_program>(__func__, code);
}
cl_program clCreateProgramWithBinary(cl_context, cl_uint, const cl_device_id*, const size_t*, const unsigned char**,
                                     cl_int*, cl_int* code) {
  return make<cl_program>(__func__, code);
}
cl_int clBuildProgram(cl_program, cl_uint, const cl_device_id*, const char*, void(CL_CALLBACK*)(cl_program, void*),
                      void*) {
  return result_of(__func__);
}
cl_int clGetProgramInfo(cl_program, cl_program_info name, size_t room, void* to, size_t* needed) {
  if (name == CL_PROGRAM_BINARY_SIZES) return give(size_t{4}, room, to, needed);
  std::memcpy(*static_cast<unsigned char**>(to), "fake", 4);
  return CL_SUCCESS;
}
cl_int clGetProgramBuildInfo(cl_program, cl_device_id, cl_program_build_info, size_t room, void* to, size_t* needed) {
  std::string log;
  for (int line = 1; line <= 100; ++line) log += "line " + std::to_string(line) + "\n";
  return give(log.c_str(), room, to, needed);
}
cl_int clReleaseProgram(cl_program object) { return drop(object); }
cl_kernel clCreateKernel(cl_program, const char*, cl_int* code) { return make<cl_kernel>(__func__, code); }
cl_int clReleaseKernel(cl_kernel object) { return drop(object); }
cl_int clSetKernelArg(cl_kernel, cl_uint, size_t, const void*) { return result_of(__func__); }
cl_int clGetKernelWorkGroupInfo(cl_kernel, cl_device_id, cl_kernel_work_group_info, size_t room, void* to,
                                size_t* needed) {
  return give(size_t{64}, room, to, needed);
}

}  // extern "C"
