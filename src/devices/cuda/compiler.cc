// SPDX-License-Identifier: Apache-2.0
#include "devices/cuda/compiler.h"

#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "devices/cuda/api.h"

namespace coracle::internal::cuda {
namespace {

constexpr size_t kLogLines = 12;  // of the compiler's words in an error

std::string log_of(const CompilerApi& api, nvrtcProgram program) {
  size_t size = 0;
  if (api.nvrtcGetProgramLogSize(program, &size) != NVRTC_SUCCESS || size == 0) return {};
  std::string log(size, '\0');
  if (api.nvrtcGetProgramLog(program, log.data()) != NVRTC_SUCCESS) return {};
  log.resize(std::min(log.find('\0'), size));
  return log;
}

std::string first_lines(std::string log) {
  size_t end = 0;
  for (size_t line = 0; line < kLogLines && end != std::string::npos; ++line) end = log.find('\n', end + 1);
  log.resize(std::min(end, log.size()));
  return log;
}

}  // namespace

std::vector<std::string> compiler_options(int architecture, std::string_view definitions) {
  const LoadedCompiler& compiler = loaded_compiler();
  const std::vector<int>& known = compiler.architectures;
  const auto newer = std::upper_bound(known.begin(), known.end(), architecture);
  require(newer != known.begin(), ErrorCode::kUnsupported, "NVIDIA's run-time compiler ", compiler.version / 100, ".",
          compiler.version % 100, " has no code for sm_", architecture, ", only for sm_", known.front(),
          " and later: install that of CUDA 12 (pip install nvidia-cuda-nvrtc-cu12)");
  // Code for the architecture itself loads fastest. Of one that the compiler does not know, the driver makes code from
  // that for the newest that it knows.
  const int best = *std::prev(newer);
  std::vector<std::string> options = {text("--gpu-architecture=", best == architecture ? "sm_" : "compute_", best),
                                      "--std=c++17", "--fmad=false"};
  for (size_t begin = 0; (begin = definitions.find_first_not_of(' ', begin)) != std::string_view::npos;) {
    const size_t end = std::min(definitions.find(' ', begin), definitions.size());
    options.emplace_back(definitions.substr(begin, end - begin));
    begin = end;
  }
  return options;
}

Compiled compiled(std::string_view name, const std::string& source, const std::vector<std::string>& options) {
  const CompilerApi& api = *loaded_compiler().api;
  std::vector<const char*> given;
  for (const std::string& option : options) given.push_back(option.c_str());
  const bool is_ptx = options.front().find("compute_") != std::string::npos;
  const std::string file = text(name, ".cl");
  Compiled result;
  nvrtcProgram program = nullptr;
  nvrtcResult code = api.nvrtcCreateProgram(&program, source.c_str(), file.c_str(), 0, nullptr, nullptr);
  if (code == NVRTC_SUCCESS) {
    code = api.nvrtcCompileProgram(program, static_cast<int>(given.size()), given.data());
    result.log = log_of(api, program);
    size_t size = 0;
    if (code == NVRTC_SUCCESS) {
      code = is_ptx ? api.nvrtcGetPTXSize(program, &size) : api.nvrtcGetCUBINSize(program, &size);
    }
    if (code == NVRTC_SUCCESS) {
      result.image.resize(size);
      char* to = reinterpret_cast<char*>(result.image.data());
      code = is_ptx ? api.nvrtcGetPTX(program, to) : api.nvrtcGetCUBIN(program, to);
    }
    api.nvrtcDestroyProgram(&program);
  }
  if (code == NVRTC_SUCCESS) return result;
  std::string words;
  for (const std::string& option : options) words += text(words.empty() ? "" : " ", option);
  const std::string log = first_lines(result.log);
  fail(code == NVRTC_ERROR_OUT_OF_MEMORY ? ErrorCode::kOutOfMemory : ErrorCode::kUnsupported, "kernels/", name,
       ".cl does not compile by NVRTC with '", words, "': ", compiler_code_text(code), log.empty() ? "" : "\n", log);
}

}  // namespace coracle::internal::cuda
