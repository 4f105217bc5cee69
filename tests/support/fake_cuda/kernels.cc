// SPDX-License-Identifier: Apache-2.0
#include "support/fake_cuda/kernels.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "support/fake_cuda/stop.h"

namespace coracle::internal::fake_cuda {
namespace {

constexpr char kMagic[8] = "fakecub";

HostDevice open_host() {
  HostDevice host;
  cl_platform_id platforms[16];
  cl_uint count = 0;
  if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS) return host;
  for (cl_uint i = 0; i < std::min(count, 16U) && host.id == nullptr; ++i) {
    if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &host.id, nullptr) != CL_SUCCESS) host.id = nullptr;
  }
  if (host.id == nullptr) return host;
  cl_int code = CL_SUCCESS;
  host.context = clCreateContext(nullptr, 1, &host.id, nullptr, nullptr, &code);
  if (code == CL_SUCCESS) host.queue = clCreateCommandQueue(host.context, host.id, 0, &code);
  if (code != CL_SUCCESS) host.id = nullptr;
  return host;
}

void append(std::string& to, const std::string& part) {
  const uint64_t size = part.size();
  to.append(reinterpret_cast<const char*>(&size), sizeof(size));
  to += part;
}
const char* take(const char* from, std::string& part) {
  uint64_t size = 0;
  std::memcpy(&size, from, sizeof(size));
  part.assign(from + sizeof(size), size);
  return from + sizeof(size) + size;
}

size_t scalar_bytes(std::string_view type) {
  for (const std::string_view eight : {"offset_t", "i64", "u64", "long", "ulong"}) {
    if (type == eight) return 8;
  }
  for (const std::string_view four : {"i32", "u32", "int", "uint", "float"}) {
    if (type == four) return 4;
  }
  stop(("a kernel has a parameter of the type " + std::string(type)).c_str());
}

}  // namespace

const HostDevice& HostDevice::get() {
  static const HostDevice host = open_host();
  return host;
}

std::string Image::packed() const {
  std::string image(kMagic, sizeof(kMagic));
  append(image, std::to_string(is_ptx ? -architecture : architecture));
  append(image, options);
  append(image, source);
  return image;
}

bool Image::unpack(const void* image, Image& to) {
  const auto* bytes = static_cast<const char*>(image);
  if (std::memcmp(bytes, kMagic, sizeof(kMagic)) != 0) return false;
  std::string number;
  take(take(take(bytes + sizeof(kMagic), number), to.options), to.source);
  to.architecture = std::abs(std::stoi(number));
  to.is_ptx = number.starts_with('-');
  return true;
}

cl_program build(const Image& image, std::string& log) {
  const HostDevice& host = HostDevice::get();
  const char* text = image.source.data();
  const size_t size = image.source.size();
  cl_int code = CL_SUCCESS;
  cl_program program = clCreateProgramWithSource(host.context, 1, &text, &size, &code);
  if (code != CL_SUCCESS) stop("clCreateProgramWithSource failed");
  if (clBuildProgram(program, 1, &host.id, image.options.c_str(), nullptr, nullptr) == CL_SUCCESS) return program;
  size_t needed = 0;
  clGetProgramBuildInfo(program, host.id, CL_PROGRAM_BUILD_LOG, 0, nullptr, &needed);
  log.resize(needed);
  clGetProgramBuildInfo(program, host.id, CL_PROGRAM_BUILD_LOG, needed, log.data(), nullptr);
  log.resize(std::min(log.find('\0'), log.size()));
  clReleaseProgram(program);
  return nullptr;
}

std::unique_ptr<Kernel> Kernel::make(cl_program program, const char* name) {
  cl_int code = CL_SUCCESS;
  cl_kernel handle = clCreateKernel(program, name, &code);
  if (code != CL_SUCCESS) return nullptr;
  std::unique_ptr<Kernel> kernel(new Kernel(handle));
  cl_uint count = 0;
  clGetKernelInfo(handle, CL_KERNEL_NUM_ARGS, sizeof(count), &count, nullptr);
  for (cl_uint i = 0; i < count; ++i) {
    char type[64] = {};
    if (clGetKernelArgInfo(handle, i, CL_KERNEL_ARG_TYPE_NAME, sizeof(type) - 1, type, nullptr) != CL_SUCCESS) {
      stop("OpenCL's compiler does not tell the types of parameters");
    }
    const bool is_memory = std::strchr(type, '*') != nullptr;
    kernel->parameters_.push_back({is_memory, is_memory ? sizeof(uint64_t) : scalar_bytes(type)});
  }
  cl_ulong shared = 0;
  clGetKernelWorkGroupInfo(handle, HostDevice::get().id, CL_KERNEL_LOCAL_MEM_SIZE, sizeof(shared), &shared, nullptr);
  kernel->shared_bytes_ = static_cast<size_t>(shared);
  return kernel;
}

}  // namespace coracle::internal::fake_cuda
