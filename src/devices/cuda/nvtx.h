// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

/// Ranges for NVIDIA's profilers. NVTX 3 has no library: a profiler names one of its own in NVTX_INJECTION64_PATH,
/// which is handed tables and writes its functions there. Declared is the part of that which is used here, by NVTX's
/// names: the same of CUDA 12 and 13, and of every profiler since 2018.
namespace coracle::internal::cuda {

using NvtxFunctionPointer = void (*)();
using NvtxFunctionTable = NvtxFunctionPointer**;  // by number of a function, where its pointer is
struct NvtxExportTableCallbacks {
  size_t struct_size;
  int (*GetModuleFunctionTable)(int module, NvtxFunctionTable* table, unsigned* size);
};
struct NvtxExportTableVersionInfo {
  size_t struct_size;
  uint32_t version;
  uint32_t reserved0;
  void (*SetInjectionNvtxVersion)(uint32_t version);
};
using NvtxGetExportTableFunc_t = const void* (*)(uint32_t table);
using NvtxInitializeInjectionNvtxFunc_t = int (*)(NvtxGetExportTableFunc_t tables);

/// The functions of each module: X(module, number, functions), of which number 0 is none.
#define CORACLE_NVTX_MODULES(X) \
  X(CORE, 1, 16)                \
  X(CUDA, 2, 9)                 \
  X(OPENCL, 3, 15)              \
  X(CUDART, 4, 7)               \
  X(CORE2, 5, 16)               \
  X(SYNC, 6, 7)

/// Other numbers, of which the version is a macro in NVTX.
inline constexpr uint32_t kNvtxVersion = 3;
#define CORACLE_NVTX_NUMBERS(X)   \
  X(NVTX_CBID_CORE_RangePushA, 9) \
  X(NVTX_CBID_CORE_RangePop, 11)  \
  X(NVTX_ETID_CALLBACKS, 1)       \
  X(NVTX_ETID_VERSIONINFO, 3)

/// Functions of the profiler. A range is of the thread that begins and ends it.
struct RangeFunctions {
  int (*push)(const char* name) = nullptr;
  int (*pop)() = nullptr;
};

/// Those of the profiler that watches this process, which is looked for when they are first asked for; null where there
/// is none, or where it has no ranges.
const RangeFunctions* loaded_ranges();

}  // namespace coracle::internal::cuda
