// SPDX-License-Identifier: Apache-2.0
#include "devices/cuda/programs.h"

#include <utility>

#include "base/error.h"
#include "devices/cuda/compiler.h"
#include "devices/cuda/opened.h"

namespace coracle::internal::cuda {
namespace {

constexpr char kFormat[] = "1";  // of what the cache's keys and files hold

/// Null, with the driver's code, where it does not take it.
std::shared_ptr<const Program> loaded(const Opened& device, std::span<const uint8_t> image, CUresult& code) {
  CUmodule handle = nullptr;
  code = device.api().cuModuleLoadData(&handle, image.data());
  return code == CUDA_SUCCESS ? std::make_shared<Program>(device.api(), handle) : nullptr;
}

}  // namespace

std::string Programs::identity(std::string_view definitions) const {
  std::string all = text(kFormat, "\n", loaded_compiler().version);
  for (const std::string& option : compiler_options(device_.found().architecture, definitions)) {
    all += text("\n", option);
  }
  return all;
}

std::shared_ptr<const gpu::Program> Programs::load(std::span<const uint8_t> binary, std::string_view /*definitions*/) {
  CUresult code = CUDA_SUCCESS;
  return loaded(device_, binary, code);
}

gpu::ProgramCache::Built Programs::build(std::string_view name, const std::string& whole,
                                         std::string_view definitions) {
  std::vector<uint8_t> image = compiled(name, whole, compiler_options(device_.found().architecture, definitions)).image;
  CUresult code = CUDA_SUCCESS;
  std::shared_ptr<const Program> program = loaded(device_, image, code);
  if (program == nullptr) {
    device_.note(code);
    fail(code == CUDA_ERROR_OUT_OF_MEMORY ? ErrorCode::kOutOfMemory : ErrorCode::kUnsupported, "kernels/", name,
         ".cl was compiled, but the device ", device_.info().name, " does not take it: ", code_text(code));
  }
  return {std::move(program), std::move(image)};
}

}  // namespace coracle::internal::cuda
