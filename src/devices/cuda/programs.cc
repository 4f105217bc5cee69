// SPDX-License-Identifier: Apache-2.0
#include "devices/cuda/programs.h"

#include <algorithm>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "base/error.h"
#include "devices/cuda/opened.h"

namespace coracle::internal::cuda {
namespace {

constexpr size_t kKept = 256;     // programs in memory
constexpr size_t kLogLines = 12;  // of a compiler's words in an error
constexpr char kFormat[] = "1";   // of what the cache's keys and files hold

/// For the device's own architecture: code for no other loads faster. The newest that the compiler knows, as PTX for
/// the driver to translate, where it does not know that of the device.
std::vector<std::string> options_of(const Opened& device, std::string_view definitions) {
  const std::vector<int>& known = loaded_compiler().architectures;
  const int own = device.found().architecture;
  const auto newer = std::upper_bound(known.begin(), known.end(), own);
  require(newer != known.begin(), ErrorCode::kUnsupported, "NVIDIA's run-time compiler ",
          loaded_compiler().version / 100, ".", loaded_compiler().version % 100, " has no code for sm_", own,
          " of the device ", device.info().name, ", only for sm_", known.front(), " and later: install one of CUDA 12");
  const int best = *std::prev(newer);
  std::vector<std::string> options = {text("--gpu-architecture=", best == own ? "sm_" : "compute_", best),
                                      "--std=c++17", "--fmad=false"};
  std::istringstream words{std::string(definitions)};
  for (std::string word; words >> word;) options.push_back(word);
  return options;
}

/// The first lines of what the compiler says.
std::string log_of(const CompilerApi& api, nvrtcProgram program) {
  size_t size = 0;
  if (api.nvrtcGetProgramLogSize(program, &size) != NVRTC_SUCCESS || size == 0) return {};
  std::string log(size, '\0');
  if (api.nvrtcGetProgramLog(program, log.data()) != NVRTC_SUCCESS) return {};
  log.resize(std::min(log.find('\0'), size));
  size_t end = 0;
  for (size_t line = 0; line < kLogLines && end != std::string::npos; ++line) end = log.find('\n', end + 1);
  log.resize(std::min(end, log.size()));
  return log;
}

/// What the driver loads: a cubin, or PTX with its zero at the end.
std::vector<uint8_t> compiled(const Opened& device, std::string_view name, const std::string& source,
                              const std::vector<std::string>& options) {
  const CompilerApi& api = *loaded_compiler().api;
  std::vector<const char*> given;
  for (const std::string& option : options) given.push_back(option.c_str());
  const bool is_ptx = options.front().find("compute_") != std::string::npos;
  const std::string file = text(name, ".cl");
  std::vector<uint8_t> image;
  std::string log;
  nvrtcProgram program = nullptr;
  nvrtcResult code = api.nvrtcCreateProgram(&program, source.c_str(), file.c_str(), 0, nullptr, nullptr);
  if (code == NVRTC_SUCCESS) {
    code = api.nvrtcCompileProgram(program, static_cast<int>(given.size()), given.data());
    if (code != NVRTC_SUCCESS) log = log_of(api, program);
    size_t size = 0;
    if (code == NVRTC_SUCCESS) {
      code = is_ptx ? api.nvrtcGetPTXSize(program, &size) : api.nvrtcGetCUBINSize(program, &size);
    }
    if (code == NVRTC_SUCCESS) {
      image.resize(size);
      char* to = reinterpret_cast<char*>(image.data());
      code = is_ptx ? api.nvrtcGetPTX(program, to) : api.nvrtcGetCUBIN(program, to);
    }
    api.nvrtcDestroyProgram(&program);
  }
  if (code == NVRTC_SUCCESS) return image;
  std::string words;
  for (const std::string& option : options) words += text(words.empty() ? "" : " ", option);
  fail(code == NVRTC_ERROR_OUT_OF_MEMORY ? ErrorCode::kOutOfMemory : ErrorCode::kUnsupported, "kernels/", name,
       ".cl does not compile for the device ", device.info().name, " with '", words, "': ", compiler_code_text(code),
       log.empty() ? "" : "\n", log);
}

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
  const std::vector<std::string> options = options_of(device, definitions);
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
    const std::vector<uint8_t> image = compiled(device, source.name, whole, options);
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
