// SPDX-License-Identifier: Apache-2.0
// The stand-in for libnvrtc.so: compiles through OpenCL. What is CUDA's alone in options is left out.
#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "devices/cuda/driver.h"
#include "support/fake_cuda/kernels.h"

namespace {

using coracle::internal::fake_cuda::Image;

constexpr int kArchitectures[] = {70, 75, 80, 86, 89, 90};
enum Code { kSuccess = 0, kOutOfMemory = 1, kInvalidInput = 3, kInvalidOption = 5, kCompilation = 6 };

struct Program {
  Image image;
  std::string packed;
  std::string log;
};
Program* of(void* handle) { return static_cast<Program*>(handle); }

int give(const std::string& text, size_t end, char* to) {
  std::memcpy(to, text.c_str(), text.size() + end);
  return kSuccess;
}

}  // namespace

extern "C" {

int nvrtcVersion(int* major, int* minor) {
  *major = 12;
  *minor = 0;
  return kSuccess;
}
int nvrtcGetNumSupportedArchs(int* count) {
  *count = static_cast<int>(std::size(kArchitectures));
  return kSuccess;
}
int nvrtcGetSupportedArchs(int* all) {
  std::copy(std::begin(kArchitectures), std::end(kArchitectures), all);
  return kSuccess;
}
const char* nvrtcGetErrorString(int code) {
  switch (code) {
    case kSuccess: return "NVRTC_SUCCESS";
    case kOutOfMemory: return "NVRTC_ERROR_OUT_OF_MEMORY";
    case kInvalidOption: return "NVRTC_ERROR_INVALID_OPTION";
    case kCompilation: return "NVRTC_ERROR_COMPILATION";
    default: return "NVRTC_ERROR_INVALID_INPUT";
  }
}
int nvrtcCreateProgram(void** program, const char* source, const char*, int headers, const char* const*,
                       const char* const*) {
  if (headers != 0) return kInvalidInput;
  *program = new Program{{"", source}, "", ""};
  return kSuccess;
}
int nvrtcDestroyProgram(void** program) {
  delete of(*program);
  *program = nullptr;
  return kSuccess;
}
int nvrtcCompileProgram(void* handle, int count, const char* const* options) {
  Program& program = *of(handle);
  std::string& opencl = program.image.options = "-cl-std=CL1.2 -cl-kernel-arg-info";
  bool has_architecture = false;
  for (int i = 0; i < count; ++i) {
    const std::string_view option = options[i];
    if (option.starts_with("-D")) (opencl += " ") += option;
    const size_t number = option.find("sm_");
    if (option.starts_with("--gpu-architecture=") && number != option.npos) {
      const int architecture = std::atoi(options[i] + number + 3);
      if (std::count(std::begin(kArchitectures), std::end(kArchitectures), architecture) == 0) return kInvalidOption;
      has_architecture = true;
    }
  }
  if (!has_architecture) return kInvalidOption;
  cl_program built = coracle::internal::fake_cuda::build(program.image, program.log);
  if (built == nullptr) return kCompilation;
  clReleaseProgram(built);
  program.packed = program.image.packed();
  return kSuccess;
}
int nvrtcGetCUBINSize(void* program, size_t* size) {
  *size = of(program)->packed.size();
  return kSuccess;
}
int nvrtcGetCUBIN(void* program, char* to) { return give(of(program)->packed, 0, to); }
int nvrtcGetPTXSize(void* program, size_t* size) { return nvrtcGetCUBINSize(program, size); }
int nvrtcGetPTX(void* program, char* to) { return nvrtcGetCUBIN(program, to); }
int nvrtcGetProgramLogSize(void* program, size_t* size) {
  *size = of(program)->log.size() + 1;
  return kSuccess;
}
int nvrtcGetProgramLog(void* program, char* to) { return give(of(program)->log, 1, to); }

}  // extern "C"
