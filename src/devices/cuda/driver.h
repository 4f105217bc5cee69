// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

/// The part of the interfaces of NVIDIA's driver (libcuda.so.1) and run-time compiler (libnvrtc) that is used here, by
/// their names: what these libraries export since driver 525 and NVRTC 12.0. Their headers are not needed to build.
namespace coracle::internal::cuda {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;  // NOLINT(google-runtime-int): as the driver has it
using CUcontext = struct CUctx_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
using CUstream = struct CUstream_st*;
using CUevent = struct CUevent_st*;
using CUgraph = struct CUgraph_st*;
using CUgraphExec = struct CUgraphExec_st*;
struct CUuuid {
  char bytes[16];
};

using nvrtcResult = int;
using nvrtcProgram = struct _nvrtcProgram*;  // NOLINT(bugprone-reserved-identifier): as NVRTC has it

/// What the driver returns.
#define CORACLE_CUDA_RESULTS(X)                  \
  X(CUDA_SUCCESS, 0)                             \
  X(CUDA_ERROR_INVALID_VALUE, 1)                 \
  X(CUDA_ERROR_OUT_OF_MEMORY, 2)                 \
  X(CUDA_ERROR_NOT_INITIALIZED, 3)               \
  X(CUDA_ERROR_DEINITIALIZED, 4)                 \
  X(CUDA_ERROR_STUB_LIBRARY, 34)                 \
  X(CUDA_ERROR_DEVICE_UNAVAILABLE, 46)           \
  X(CUDA_ERROR_NO_DEVICE, 100)                   \
  X(CUDA_ERROR_INVALID_DEVICE, 101)              \
  X(CUDA_ERROR_INVALID_IMAGE, 200)               \
  X(CUDA_ERROR_INVALID_CONTEXT, 201)             \
  X(CUDA_ERROR_NO_BINARY_FOR_GPU, 209)           \
  X(CUDA_ERROR_ECC_UNCORRECTABLE, 214)           \
  X(CUDA_ERROR_INVALID_PTX, 218)                 \
  X(CUDA_ERROR_NVLINK_UNCORRECTABLE, 220)        \
  X(CUDA_ERROR_JIT_COMPILER_NOT_FOUND, 221)      \
  X(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, 222)     \
  X(CUDA_ERROR_CONTAINED, 226)                   \
  X(CUDA_ERROR_INVALID_HANDLE, 400)              \
  X(CUDA_ERROR_NOT_FOUND, 500)                   \
  X(CUDA_ERROR_NOT_READY, 600)                   \
  X(CUDA_ERROR_ILLEGAL_ADDRESS, 700)             \
  X(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701)     \
  X(CUDA_ERROR_LAUNCH_TIMEOUT, 702)              \
  X(CUDA_ERROR_CONTEXT_IS_DESTROYED, 709)        \
  X(CUDA_ERROR_ASSERT, 710)                      \
  X(CUDA_ERROR_HARDWARE_STACK_ERROR, 714)        \
  X(CUDA_ERROR_ILLEGAL_INSTRUCTION, 715)         \
  X(CUDA_ERROR_MISALIGNED_ADDRESS, 716)          \
  X(CUDA_ERROR_INVALID_ADDRESS_SPACE, 717)       \
  X(CUDA_ERROR_INVALID_PC, 718)                  \
  X(CUDA_ERROR_LAUNCH_FAILED, 719)               \
  X(CUDA_ERROR_NOT_SUPPORTED, 801)               \
  X(CUDA_ERROR_SYSTEM_NOT_READY, 802)            \
  X(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, 803)      \
  X(CUDA_ERROR_MPS_CONNECTION_FAILED, 805)       \
  X(CUDA_ERROR_MPS_CLIENT_TERMINATED, 810)       \
  X(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, 900)  \
  X(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, 901)  \
  X(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, 906)     \
  X(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, 908) \
  X(CUDA_ERROR_EXTERNAL_DEVICE, 911)             \
  X(CUDA_ERROR_UNKNOWN, 999)

/// Other numbers of the driver.
#define CORACLE_CUDA_NUMBERS(X)                       \
  X(CU_STREAM_NON_BLOCKING, 1)                        \
  X(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, 1)           \
  X(CU_STREAM_CAPTURE_STATUS_NONE, 0)                 \
  X(CU_STREAM_CAPTURE_STATUS_ACTIVE, 1)               \
  X(CU_EVENT_DEFAULT, 0)                              \
  X(CU_EVENT_DISABLE_TIMING, 2)                       \
  X(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 5)            \
  X(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 6)            \
  X(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 7)            \
  X(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 16)     \
  X(CU_DEVICE_ATTRIBUTE_INTEGRATED, 18)               \
  X(CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, 20)             \
  X(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 75) \
  X(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 76) \
  X(CU_COMPUTEMODE_PROHIBITED, 2)                     \
  X(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 0)       \
  X(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, 2)              \
  X(CU_POINTER_ATTRIBUTE_IS_MANAGED, 8)               \
  X(CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, 9)           \
  X(CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, 11)        \
  X(CU_POINTER_ATTRIBUTE_RANGE_SIZE, 12)              \
  X(CU_MEMORYTYPE_HOST, 1)                            \
  X(CU_MEMORYTYPE_DEVICE, 2)

/// What NVRTC returns.
#define CORACLE_NVRTC_RESULTS(X)   \
  X(NVRTC_SUCCESS, 0)              \
  X(NVRTC_ERROR_OUT_OF_MEMORY, 1)  \
  X(NVRTC_ERROR_INVALID_OPTION, 5) \
  X(NVRTC_ERROR_COMPILATION, 6)    \
  X(NVRTC_ERROR_BUILTIN_OPERATION_FAILURE, 7)

#define CORACLE_CUDA_CONSTANT(name, value) inline constexpr int name = value;
CORACLE_CUDA_RESULTS(CORACLE_CUDA_CONSTANT)
CORACLE_CUDA_NUMBERS(CORACLE_CUDA_CONSTANT)
CORACLE_NVRTC_RESULTS(CORACLE_CUDA_CONSTANT)
#undef CORACLE_CUDA_CONSTANT

/// Functions of the driver by the names that it exports: X(result, name, parameters...).
#define CORACLE_CUDA_FUNCTIONS(X)                                                                           \
  X(CUresult, cuInit, unsigned flags)                                                                       \
  X(CUresult, cuDriverGetVersion, int* version)                                                             \
  X(CUresult, cuDeviceGetCount, int* count)                                                                 \
  X(CUresult, cuDeviceGet, CUdevice* device, int index)                                                     \
  X(CUresult, cuDeviceGetName, char* name, int room, CUdevice device)                                       \
  X(CUresult, cuDeviceGetUuid_v2, CUuuid* uuid, CUdevice device)                                            \
  X(CUresult, cuDeviceGetAttribute, int* value, int attribute, CUdevice device)                             \
  X(CUresult, cuDeviceTotalMem_v2, size_t* bytes, CUdevice device)                                          \
  X(CUresult, cuDevicePrimaryCtxRetain, CUcontext* context, CUdevice device)                                \
  X(CUresult, cuDevicePrimaryCtxRelease_v2, CUdevice device)                                                \
  X(CUresult, cuCtxPushCurrent_v2, CUcontext context)                                                       \
  X(CUresult, cuCtxPopCurrent_v2, CUcontext* context)                                                       \
  X(CUresult, cuCtxGetDevice, CUdevice* device)                                                             \
  X(CUresult, cuMemAlloc_v2, CUdeviceptr* memory, size_t bytes)                                             \
  X(CUresult, cuMemFree_v2, CUdeviceptr memory)                                                             \
  X(CUresult, cuMemHostAlloc, void** memory, size_t bytes, unsigned flags)                                  \
  X(CUresult, cuMemFreeHost, void* memory)                                                                  \
  X(CUresult, cuMemcpyHtoDAsync_v2, CUdeviceptr to, const void* from, size_t bytes, CUstream stream)        \
  X(CUresult, cuMemcpyDtoHAsync_v2, void* to, CUdeviceptr from, size_t bytes, CUstream stream)              \
  X(CUresult, cuMemcpyDtoDAsync_v2, CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)        \
  X(CUresult, cuMemsetD8Async, CUdeviceptr memory, unsigned char value, size_t bytes, CUstream stream)      \
  X(CUresult, cuPointerGetAttributes, unsigned count, int* attributes, void** data, CUdeviceptr address)    \
  X(CUresult, cuStreamCreate, CUstream* stream, unsigned flags)                                             \
  X(CUresult, cuStreamDestroy_v2, CUstream stream)                                                          \
  X(CUresult, cuStreamSynchronize, CUstream stream)                                                         \
  X(CUresult, cuStreamWaitEvent, CUstream stream, CUevent event, unsigned flags)                            \
  X(CUresult, cuStreamGetCtx, CUstream stream, CUcontext* context)                                          \
  X(CUresult, cuStreamIsCapturing, CUstream stream, int* status)                                            \
  X(CUresult, cuStreamBeginCapture_v2, CUstream stream, int mode)                                           \
  X(CUresult, cuStreamEndCapture, CUstream stream, CUgraph* graph)                                          \
  X(CUresult, cuGraphInstantiateWithFlags, CUgraphExec* exec, CUgraph graph, uint64_t flags)                \
  X(CUresult, cuGraphLaunch, CUgraphExec exec, CUstream stream)                                             \
  X(CUresult, cuGraphExecDestroy, CUgraphExec exec)                                                         \
  X(CUresult, cuGraphDestroy, CUgraph graph)                                                                \
  X(CUresult, cuEventCreate, CUevent* event, unsigned flags)                                                \
  X(CUresult, cuEventDestroy_v2, CUevent event)                                                             \
  X(CUresult, cuEventRecord, CUevent event, CUstream stream)                                                \
  X(CUresult, cuEventSynchronize, CUevent event)                                                            \
  X(CUresult, cuEventQuery, CUevent event)                                                                  \
  X(CUresult, cuEventElapsedTime, float* milliseconds, CUevent begin, CUevent end)                          \
  X(CUresult, cuModuleLoadData, CUmodule* module, const void* image)                                        \
  X(CUresult, cuModuleUnload, CUmodule module)                                                              \
  X(CUresult, cuModuleGetFunction, CUfunction* function, CUmodule module, const char* name)                 \
  X(CUresult, cuFuncGetAttribute, int* value, int attribute, CUfunction function)                           \
  X(CUresult, cuLaunchKernel, CUfunction function, unsigned blocks_x, unsigned blocks_y, unsigned blocks_z, \
    unsigned threads_x, unsigned threads_y, unsigned threads_z, unsigned shared_bytes, CUstream stream,     \
    void** parameters, void** extra)

/// Functions of NVRTC: X(result, name, parameters...).
#define CORACLE_NVRTC_FUNCTIONS(X)                                                                                  \
  X(nvrtcResult, nvrtcVersion, int* major, int* minor)                                                              \
  X(nvrtcResult, nvrtcGetNumSupportedArchs, int* count)                                                             \
  X(nvrtcResult, nvrtcGetSupportedArchs, int* architectures)                                                        \
  X(nvrtcResult, nvrtcCreateProgram, nvrtcProgram* program, const char* source, const char* name, int header_count, \
    const char* const* headers, const char* const* header_names)                                                    \
  X(nvrtcResult, nvrtcDestroyProgram, nvrtcProgram* program)                                                        \
  X(nvrtcResult, nvrtcCompileProgram, nvrtcProgram program, int option_count, const char* const* options)           \
  X(nvrtcResult, nvrtcGetCUBINSize, nvrtcProgram program, size_t* bytes)                                            \
  X(nvrtcResult, nvrtcGetCUBIN, nvrtcProgram program, char* cubin)                                                  \
  X(nvrtcResult, nvrtcGetPTXSize, nvrtcProgram program, size_t* bytes)                                              \
  X(nvrtcResult, nvrtcGetPTX, nvrtcProgram program, char* ptx)                                                      \
  X(nvrtcResult, nvrtcGetProgramLogSize, nvrtcProgram program, size_t* bytes)                                       \
  X(nvrtcResult, nvrtcGetProgramLog, nvrtcProgram program, char* log)

// NOLINTNEXTLINE(bugprone-macro-parentheses): a name that is declared has none
#define CORACLE_CUDA_MEMBER(result, name, ...) result (*name)(__VA_ARGS__) = nullptr;
struct DriverApi {
  CORACLE_CUDA_FUNCTIONS(CORACLE_CUDA_MEMBER)
};
struct CompilerApi {
  CORACLE_NVRTC_FUNCTIONS(CORACLE_CUDA_MEMBER)
};
#undef CORACLE_CUDA_MEMBER

}  // namespace coracle::internal::cuda
