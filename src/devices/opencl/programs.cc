// SPDX-License-Identifier: Apache-2.0
#include "devices/opencl/programs.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "devices/opencl/opened.h"

namespace coracle::internal::opencl {
namespace {

constexpr size_t kLogLines = 12;  // of a compiler's words in an error
constexpr char kFormat[] = "1";   // of what the cache's keys and files hold
std::string options_of(std::string_view definitions) { return text("-cl-std=CL1.2 ", definitions); }

/// The first lines of what the compiler says.
std::string log_of(const Opened& device, cl_program program) {
  const Api& api = device.api();
  size_t size = 0;
  if (api.clGetProgramBuildInfo(program, device.id(), CL_PROGRAM_BUILD_LOG, 0, nullptr, &size) != CL_SUCCESS) return {};
  std::string log(size, '\0');
  if (api.clGetProgramBuildInfo(program, device.id(), CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr) != CL_SUCCESS) {
    return {};
  }
  log.resize(std::min(log.find('\0'), size));
  size_t end = 0;
  for (size_t line = 0; line < kLogLines && end != std::string::npos; ++line) end = log.find('\n', end + 1);
  log.resize(std::min(end, log.size()));
  return log;
}

/// Null, with the driver's code, where it does not take the binary.
std::shared_ptr<Program> from_binary(const Opened& device, std::span<const uint8_t> binary,
                                     const std::string& options) {
  const Api& api = device.api();
  const cl_device_id id = device.id();
  const size_t size = binary.size();
  const uint8_t* bytes = binary.data();
  cl_int of_binary = CL_SUCCESS;
  cl_int code = CL_SUCCESS;
  cl_program handle = api.clCreateProgramWithBinary(device.context(), 1, &id, &size, &bytes, &of_binary, &code);
  if (code != CL_SUCCESS) return nullptr;
  auto program = std::make_shared<Program>(api, handle);
  if (of_binary != CL_SUCCESS) return nullptr;
  return api.clBuildProgram(handle, 1, &id, options.c_str(), nullptr, nullptr) == CL_SUCCESS ? program : nullptr;
}

std::shared_ptr<Program> from_source(Opened& device, std::string_view name, const std::string& source,
                                     const std::string& options) {
  const Api& api = device.api();
  const cl_device_id id = device.id();
  const char* text = source.data();
  const size_t size = source.size();
  cl_int code = CL_SUCCESS;
  cl_program handle = api.clCreateProgramWithSource(device.context(), 1, &text, &size, &code);
  std::shared_ptr<Program> program;
  if (code == CL_SUCCESS) {
    program = std::make_shared<Program>(api, handle);
    code = api.clBuildProgram(handle, 1, &id, options.c_str(), nullptr, nullptr);
  }
  if (code == CL_SUCCESS) return program;
  device.note(code, false);
  const ErrorCode kind = code == CL_OUT_OF_HOST_MEMORY ? ErrorCode::kOutOfMemory : ErrorCode::kUnsupported;
  const std::string log = program != nullptr ? log_of(device, handle) : std::string();
  fail(kind, "kernels/", name, ".cl does not compile for the device ", device.info().name, " with '", options,
       "': ", code_text(code), log.empty() ? "" : "\n", log);
}

std::vector<uint8_t> binary_of(const Opened& device, const Program& program) {
  const Api& api = device.api();
  size_t size = 0;
  if (api.clGetProgramInfo(program.handle(), CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, nullptr) != CL_SUCCESS) {
    return {};
  }
  std::vector<uint8_t> binary(size);
  uint8_t* bytes = binary.data();
  if (api.clGetProgramInfo(program.handle(), CL_PROGRAM_BINARIES, sizeof(bytes), static_cast<void*>(&bytes), nullptr) !=
      CL_SUCCESS) {
    return {};
  }
  return binary;
}

}  // namespace

std::string Programs::identity(std::string_view definitions) const {
  return text(kFormat, "\n", device_.identity(), "\n", options_of(definitions));
}

std::shared_ptr<const gpu::Program> Programs::load(std::span<const uint8_t> binary, std::string_view definitions) {
  return from_binary(device_, binary, options_of(definitions));
}

gpu::ProgramCache::Built Programs::build(std::string_view name, const std::string& whole,
                                         std::string_view definitions) {
  const std::shared_ptr<const Program> program = from_source(device_, name, whole, options_of(definitions));
  return {program, keeps_binaries() ? binary_of(device_, *program) : std::vector<uint8_t>()};
}

}  // namespace coracle::internal::opencl
