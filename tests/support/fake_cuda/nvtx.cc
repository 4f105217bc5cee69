// SPDX-License-Identifier: Apache-2.0
// The library of a profiler, which writes ranges down: what NVTX_INJECTION64_PATH names.
#include "devices/cuda/nvtx.h"

#include <cstdlib>
#include <mutex>
#include <string>

#include "support/fake_cuda/fake_cuda.h"
#include "support/fake_cuda/stop.h"

namespace {

using namespace coracle::internal::cuda;
using coracle::internal::fake_cuda::stop;

struct Written {
  std::mutex mutex;
  std::string lines;
};
Written& written() {
  static Written& all = *new Written;
  return all;
}
thread_local int depth = 0;  // of the ranges of this thread

int push(const char* name) {
  const std::lock_guard lock(written().mutex);
  written().lines.append(2 * static_cast<size_t>(depth), ' ').append(name).append("\n");
  return depth++;
}

int pop() {
  if (depth == 0) stop("a range is ended that this thread has not begun");
  return --depth;
}

}  // namespace

extern "C" {

int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t tables) {
  const auto* callbacks = static_cast<const NvtxExportTableCallbacks*>(tables(1));
  if (callbacks == nullptr || callbacks->struct_size < sizeof(*callbacks) || tables(99) != nullptr) return 0;
  const auto* version = static_cast<const NvtxExportTableVersionInfo*>(tables(3));
  if (version == nullptr || version->version != 3) return 0;
  NvtxFunctionTable core = nullptr;
  unsigned size = 0;
  // As profilers do: all modules are asked for, and what is written is looked at.
  for (int module = 1; module <= 6; ++module) {
    if (callbacks->GetModuleFunctionTable(module, &core, &size) == 0 || size < 7 || core[0] != nullptr) return 0;
    for (unsigned i = 1; i < size; ++i) {
      if (core[i] == nullptr) return 0;
    }
    if (core[size] != nullptr) return 0;
  }
  if (callbacks->GetModuleFunctionTable(7, &core, &size) != 0) return 0;
  if (callbacks->GetModuleFunctionTable(1, &core, &size) == 0 || size != 16) return 0;
  *core[9] = reinterpret_cast<NvtxFunctionPointer>(push);
  *core[11] = reinterpret_cast<NvtxFunctionPointer>(pop);
  return 1;
}

const char* fake_nvtx_ranges() {
  thread_local std::string taken;
  const std::lock_guard lock(written().mutex);
  taken.clear();
  taken.swap(written().lines);
  return taken.c_str();
}
}
