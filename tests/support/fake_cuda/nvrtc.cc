// SPDX-License-Identifier: Apache-2.0
// The stand-in for libnvrtc.so: compiles through OpenCL. What is CUDA's alone in options is left out.
#include <algorithm>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>

#include "devices/cuda/driver.h"
#include "support/fake_cuda/calls.h"
#include "support/fake_cuda/kernels.h"
#include "support/fake_cuda/stop.h"

namespace {

using coracle::internal::fake_cuda::Image;
using coracle::internal::fake_cuda::stop;

constexpr int kArchitectures[] = {70, 75, 80, 86, 89, 90};
namespace cuda = coracle::internal::cuda;

coracle::internal::fake_cuda::Calls& calls() {
  static auto& all = *new coracle::internal::fake_cuda::Calls;
  return all;
}
std::mutex& mutex() {
  static auto& one = *new std::mutex;
  return one;
}

struct Program {
  Image image;
  std::string packed;
  std::string log;
};
Program* of(void* handle) { return static_cast<Program*>(handle); }

int give(const std::string& text, size_t end, char* to) {
  std::memcpy(to, text.c_str(), text.size() + end);
  return cuda::NVRTC_SUCCESS;
}

}  // namespace

extern "C" {

void fake_nvrtc_fail(const char* function, int code, int64_t skipped) {
  const std::lock_guard lock(mutex());
  calls().fail(function, code, skipped);
}

int nvrtcVersion(int* major, int* minor) {
  const int version = coracle::internal::fake_cuda::setting("FAKE_NVRTC_VERSION", 1200);
  *major = version / 100;
  *minor = version % 100;
  return cuda::NVRTC_SUCCESS;
}
int nvrtcGetNumSupportedArchs(int* count) {
  *count = static_cast<int>(std::size(kArchitectures));
  return cuda::NVRTC_SUCCESS;
}
int nvrtcGetSupportedArchs(int* all) {
  std::copy(std::begin(kArchitectures), std::end(kArchitectures), all);
  return cuda::NVRTC_SUCCESS;
}
int nvrtcCreateProgram(void** program, const char* source, const char*, int headers, const char* const*,
                       const char* const*) {
  if (headers != 0) stop("programs of kernels have no headers");
  auto* made = new Program;
  made->image.source = source;
  *program = made;
  return cuda::NVRTC_SUCCESS;
}
int nvrtcDestroyProgram(void** program) {
  delete of(*program);
  *program = nullptr;
  return cuda::NVRTC_SUCCESS;
}
int nvrtcCompileProgram(void* handle, int count, const char* const* options) {
  Program& program = *of(handle);
  const std::lock_guard lock(mutex());
  if (const int code = calls().enter("nvrtcCompileProgram", false)) {
    for (int line = 1; line <= 100; ++line) program.log += "line " + std::to_string(line) + "\n";
    return code;
  }
  Image& image = program.image;
  image.options = "-cl-std=CL1.2 -cl-kernel-arg-info";
  for (int i = 0; i < count; ++i) {
    const std::string_view option = options[i];
    if (option.starts_with("-D")) (image.options += " ") += option;
    if (!option.starts_with("--gpu-architecture=")) continue;
    image.is_ptx = option.find("compute_") != option.npos;
    image.architecture = std::atoi(options[i] + option.rfind('_') + 1);
  }
  if (std::count(std::begin(kArchitectures), std::end(kArchitectures), image.architecture) == 0) {
    return cuda::NVRTC_ERROR_INVALID_OPTION;
  }
  cl_program built = coracle::internal::fake_cuda::build(image, program.log);
  if (built == nullptr) return cuda::NVRTC_ERROR_COMPILATION;
  clReleaseProgram(built);
  program.packed = image.packed();
  return cuda::NVRTC_SUCCESS;
}
int nvrtcGetCUBINSize(void* program, size_t* size) {
  *size = of(program)->packed.size();
  return cuda::NVRTC_SUCCESS;
}
int nvrtcGetCUBIN(void* program, char* to) {
  if (of(program)->image.is_ptx) stop("a program for a virtual architecture has no code");
  return give(of(program)->packed, 0, to);
}
int nvrtcGetPTXSize(void* program, size_t* size) {
  *size = of(program)->packed.size() + 1;
  return cuda::NVRTC_SUCCESS;
}
int nvrtcGetPTX(void* program, char* to) { return give(of(program)->packed, 1, to); }
int nvrtcGetProgramLogSize(void* program, size_t* size) {
  *size = of(program)->log.size() + 1;
  return cuda::NVRTC_SUCCESS;
}
int nvrtcGetProgramLog(void* program, char* to) { return give(of(program)->log, 1, to); }

}  // extern "C"
