// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CL/cl.h>

#include <string>

/// OpenCL's functions, from the system's libOpenCL.so.1.
namespace coracle::internal::opencl {

#define CORACLE_OPENCL_FUNCTIONS(X) \
  X(clGetPlatformIDs)               \
  X(clGetPlatformInfo)              \
  X(clGetDeviceIDs)                 \
  X(clGetDeviceInfo)                \
  X(clCreateContext)                \
  X(clReleaseContext)               \
  X(clCreateCommandQueue)           \
  X(clReleaseCommandQueue)          \
  X(clCreateBuffer)                 \
  X(clReleaseMemObject)             \
  X(clEnqueueMapBuffer)             \
  X(clEnqueueUnmapMemObject)        \
  X(clEnqueueWriteBuffer)           \
  X(clEnqueueReadBuffer)            \
  X(clEnqueueCopyBuffer)            \
  X(clEnqueueMarkerWithWaitList)    \
  X(clEnqueueBarrierWithWaitList)   \
  X(clEnqueueNDRangeKernel)         \
  X(clFlush)                        \
  X(clFinish)                       \
  X(clWaitForEvents)                \
  X(clReleaseEvent)                 \
  X(clGetEventProfilingInfo)        \
  X(clCreateProgramWithSource)      \
  X(clCreateProgramWithBinary)      \
  X(clBuildProgram)                 \
  X(clGetProgramInfo)               \
  X(clGetProgramBuildInfo)          \
  X(clReleaseProgram)               \
  X(clCreateKernel)                 \
  X(clReleaseKernel)                \
  X(clSetKernelArg)                 \
  X(clGetKernelWorkGroupInfo)

struct Api {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a name that is declared has none
#define CORACLE_OPENCL_MEMBER(name) decltype(&::name) name = nullptr;
  CORACLE_OPENCL_FUNCTIONS(CORACLE_OPENCL_MEMBER)
#undef CORACLE_OPENCL_MEMBER
};

struct LoadedApi {
  const Api* api = nullptr;
  std::string missing;  ///< why there is none, and what to do
};

/// Loads the library when first asked for it; it stays until the process ends. Drivers do not survive a fork: in the
/// child the functions of an Api that the parent has loaded return CL_DEVICE_NOT_AVAILABLE at once, and `missing` says
/// why.
const LoadedApi& loaded_api();

/// "CL_OUT_OF_RESOURCES", or "unknown error".
const char* name_of_code(cl_int code);

/// "CL_OUT_OF_RESOURCES (-5)"
std::string code_text(cl_int code);

}  // namespace coracle::internal::opencl
