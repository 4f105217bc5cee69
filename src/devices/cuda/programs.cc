// SPDX-License-Identifier: Apache-2.0
#include "devices/cuda/programs.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "devices/cuda/compiler.h"
#include "devices/cuda/opened.h"

namespace coracle::internal::cuda {
namespace {

constexpr size_t kKept = 256;    // programs in memory
constexpr char kFormat[] = "1";  // of what the cache's keys and files hold

/// Null, with the driver's code, where it does not take it.
std::shared_ptr<Program> loaded(const Opened& device, std::span<const uint8_t> image, CUresult& code) {
  CUmodule handle = nullptr;
  code = device.api().cuModuleLoadData(&handle, image.data());
  return code == CUDA_SUCCESS ? std::make_shared<Program>(device.api(), handle) : nullptr;
}

}  // namespace

std::shared_ptr<const Program> Programs::get(Opened& device, const gpu::Source& source, std::string_view definitions) {
  std::string key = text(source.name, " ", definitions, "\n", source.text);
  {
    const std::lock_guard lock(mutex_);
    if (const auto it = programs_.find(key); it != programs_.end()) {
      it->second.when = ++clock_;
      return it->second.program;
    }
  }
  const std::string whole = gpu::with_prelude(source);
  const std::vector<std::string> options = compiler_options(device.found().architecture, definitions);
  std::string identity = text(kFormat, "\n", loaded_compiler().version, "\n");
  for (const std::string& option : options) identity += text(option, "\n");
  identity += whole;
  const ContextScope scope = device.enter();
  std::shared_ptr<Program> program;
  CUresult code = CUDA_SUCCESS;
  if (const std::optional<Tensor> binary = disk_.find(identity)) {
    program = loaded(device, {binary->data<uint8_t>(), binary->bytes()}, code);
  }
  if (program == nullptr) {
    const std::vector<uint8_t> image = compiled(source.name, whole, options).image;
    program = loaded(device, image, code);
    if (program == nullptr) {
      device.note(code);
      fail(code == CUDA_ERROR_OUT_OF_MEMORY ? ErrorCode::kOutOfMemory : ErrorCode::kUnsupported, "kernels/",
           source.name, ".cl was compiled, but the device ", device.info().name,
           " does not take it: ", code_text(code));
    }
    if (disk_.on()) disk_.keep(identity, image);
  }
  const std::lock_guard lock(mutex_);
  // Another thread may have been faster.
  Used& used = programs_[std::move(key)];
  if (used.program == nullptr) used.program = std::move(program);
  used.when = ++clock_;
  std::shared_ptr<const Program> result = used.program;
  if (programs_.size() > kKept) {
    programs_.erase(std::min_element(programs_.begin(), programs_.end(),
                                     [](const auto& a, const auto& b) { return a.second.when < b.second.when; }));
  }
  return result;
}

}  // namespace coracle::internal::cuda
