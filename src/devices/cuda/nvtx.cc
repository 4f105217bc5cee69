// SPDX-License-Identifier: Apache-2.0
#include "devices/cuda/nvtx.h"

#include <dlfcn.h>

#include <array>
#include <cstdlib>

#include "base/log.h"

namespace coracle::internal::cuda {
namespace {

constexpr char kInjection[] = "NVTX_INJECTION64_PATH";
constexpr size_t kMostFunctions = 16;

#define CORACLE_NVTX_CONSTANT(name, value) constexpr int k_##name = value;
CORACLE_NVTX_NUMBERS(CORACLE_NVTX_CONSTANT)
#undef CORACLE_NVTX_CONSTANT

/// Where a profiler writes its functions of a module.
struct ModuleFunctions {
  explicit ModuleFunctions(unsigned count) : size(count) {
    for (unsigned i = 1; i < count; ++i) table[i] = &functions[i];
  }
  unsigned size;
  std::array<NvtxFunctionPointer, kMostFunctions> functions{};
  std::array<NvtxFunctionPointer*, kMostFunctions + 1> table{};  // with a null behind the last
};

/// By number of the module; 0 is none. They stay until the process ends.
std::array<ModuleFunctions, 7>& modules() {
#define CORACLE_NVTX_MODULE(name, number, count) ModuleFunctions(count),
  static auto& all = *new std::array<ModuleFunctions, 7>{ModuleFunctions(0), CORACLE_NVTX_MODULES(CORACLE_NVTX_MODULE)};
#undef CORACLE_NVTX_MODULE
  return all;
}

int module_functions(int module, NvtxFunctionTable* table, unsigned* size) {
  if (module < 1 || static_cast<size_t>(module) >= modules().size()) return 0;
  ModuleFunctions& wanted = modules()[static_cast<size_t>(module)];
  if (size != nullptr) *size = wanted.size;
  if (table != nullptr) *table = wanted.table.data();
  return 1;
}

void note_version(uint32_t /*of_the_profiler*/) {}

const void* export_table(uint32_t table) {
  static constexpr NvtxExportTableCallbacks kCallbacks{sizeof(NvtxExportTableCallbacks), module_functions};
  static constexpr NvtxExportTableVersionInfo kVersion{sizeof(NvtxExportTableVersionInfo), kNvtxVersion, 0,
                                                       note_version};
  if (table == k_NVTX_ETID_CALLBACKS) return &kCallbacks;
  return table == k_NVTX_ETID_VERSIONINFO ? &kVersion : nullptr;
}

const RangeFunctions* load_ranges() {
  const char* path = std::getenv(kInjection);
  if (path == nullptr || *path == '\0') return nullptr;
  void* library = ::dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = ::dlerror();
    log(LogLevel::kWarning, "no ranges for a profiler: the library that ", kInjection, " names was not loaded (",
        reason != nullptr ? reason : path, ")");
    return nullptr;
  }
  const auto begin = reinterpret_cast<NvtxInitializeInjectionNvtxFunc_t>(::dlsym(library, "InitializeInjectionNvtx2"));
  if (begin == nullptr || begin(export_table) == 0) {
    log(LogLevel::kWarning, "no ranges for a profiler: the library that ", kInjection, " names (", path, ") ",
        begin == nullptr ? "has no InitializeInjectionNvtx2" : "refused");
    ::dlclose(library);
    return nullptr;
  }
  const auto& core = modules()[1].functions;
  static RangeFunctions& ranges = *new RangeFunctions;
  ranges.push = reinterpret_cast<int (*)(const char*)>(core[k_NVTX_CBID_CORE_RangePushA]);
  ranges.pop = reinterpret_cast<int (*)()>(core[k_NVTX_CBID_CORE_RangePop]);
  return ranges.push != nullptr && ranges.pop != nullptr ? &ranges : nullptr;
}

}  // namespace

const RangeFunctions* loaded_ranges() {
  static const RangeFunctions* const loaded = load_ranges();
  return loaded;
}

}  // namespace coracle::internal::cuda
