// SPDX-License-Identifier: Apache-2.0
#include "paddle_c/fluid.h"

using coracle::paddle_c::given;
using coracle::paddle_c::guard;
using coracle::paddle_c::text;
using paddle::AnalysisConfig;

namespace {

template <class F>
void with_fluid(const char* call, PD_AnalysisConfig* handle, const F& f) noexcept {
  guard(call, [&] { f(given(handle, "config").config); });
}

template <class Value, class F>
Value ask_fluid(const char* call, const PD_AnalysisConfig* handle, Value failed, const F& f) noexcept {
  return guard(call, failed, [&] { return static_cast<Value>(f(given(handle, "config").config)); });
}

}  // namespace

extern "C" {

PD_AnalysisConfig* PD_NewAnalysisConfig() {
  return guard(__func__, static_cast<PD_AnalysisConfig*>(nullptr), [] { return new PD_AnalysisConfig; });
}
void PD_DeleteAnalysisConfig(PD_AnalysisConfig* config) { delete config; }

void PD_SetModel(PD_AnalysisConfig* config, const char* model_dir, const char* params_path) {
  with_fluid(__func__, config, [&](AnalysisConfig& c) {
    if (params_path == nullptr) {
      c.SetModel(text(model_dir, "model_dir"));
    } else {
      c.SetModel(text(model_dir, "model_dir"), params_path);
    }
  });
}
void PD_SetProgFile(PD_AnalysisConfig* config, const char* x) {
  with_fluid(__func__, config, [&](AnalysisConfig& c) { c.SetProgFile(text(x, "x")); });
}
void PD_SetParamsFile(PD_AnalysisConfig* config, const char* x) {
  with_fluid(__func__, config, [&](AnalysisConfig& c) { c.SetParamsFile(text(x, "x")); });
}
void PD_SetOptimCacheDir(PD_AnalysisConfig* config, const char* opt_cache_dir) {
  with_fluid(__func__, config, [&](AnalysisConfig& c) { c.SetOptimCacheDir(text(opt_cache_dir, "opt_cache_dir")); });
}
const char* PD_ModelDir(const PD_AnalysisConfig* config) {
  return ask_fluid(__func__, config, "", [](const AnalysisConfig& c) { return c.model_dir().c_str(); });
}
const char* PD_ProgFile(const PD_AnalysisConfig* config) {
  return ask_fluid(__func__, config, "", [](const AnalysisConfig& c) { return c.prog_file().c_str(); });
}
const char* PD_ParamsFile(const PD_AnalysisConfig* config) {
  return ask_fluid(__func__, config, "", [](const AnalysisConfig& c) { return c.params_file().c_str(); });
}
void PD_SetModelBuffer(PD_AnalysisConfig* config, const char* prog_buffer, size_t prog_buffer_size,
                       const char* params_buffer, size_t params_buffer_size) {
  with_fluid(__func__, config, [&](AnalysisConfig& c) {
    c.SetModelBuffer(text(prog_buffer, "prog_buffer"), prog_buffer_size, text(params_buffer, "params_buffer"),
                     params_buffer_size);
  });
}

void PD_EnableUseGpu(PD_AnalysisConfig* config, int memory_pool_init_size_mb, int device_id) {
  with_fluid(__func__, config, [&](AnalysisConfig& c) {
    if (memory_pool_init_size_mb < 0) throw coracle::paddle_c::Misuse("memory_pool_init_size_mb is negative");
    c.EnableUseGpu(static_cast<uint64_t>(memory_pool_init_size_mb), device_id);
  });
}
void PD_EnableXpu(PD_AnalysisConfig* config, int l3_workspace_size) {
  with_fluid(__func__, config, [&](AnalysisConfig& c) { c.EnableXpu(l3_workspace_size); });
}
void PD_EnableTensorRtEngine(PD_AnalysisConfig* config, int64_t workspace_size, int max_batch_size,
                             int min_subgraph_size, Precision precision, bool use_static, bool use_calib_mode) {
  with_fluid(__func__, config, [&](AnalysisConfig& c) {
    const auto of = precision == kInt8   ? AnalysisConfig::Precision::kInt8
                    : precision == kHalf ? AnalysisConfig::Precision::kHalf
                                         : AnalysisConfig::Precision::kFloat32;
    c.EnableTensorRtEngine(workspace_size, max_batch_size, min_subgraph_size, of, use_static, use_calib_mode);
  });
}
void PD_DeletePass(PD_AnalysisConfig* config, char* pass_name) {
  with_fluid(__func__, config, [&](AnalysisConfig& c) { c.DeletePass(text(pass_name, "pass_name")); });
}
int PD_GpuDeviceId(const PD_AnalysisConfig* config) {
  return ask_fluid(__func__, config, 0, [](const AnalysisConfig& c) { return c.gpu_device_id(); });
}
int PD_XpuDeviceId(const PD_AnalysisConfig* config) {
  return ask_fluid(__func__, config, 0, [](const AnalysisConfig& c) { return c.xpu_device_id(); });
}
int PD_MemoryPoolInitSizeMb(const PD_AnalysisConfig* config) {
  return ask_fluid(__func__, config, 0, [](const AnalysisConfig& c) { return c.memory_pool_init_size_mb(); });
}
float PD_FractionOfGpuMemoryForPool(const PD_AnalysisConfig* config) {
  return ask_fluid(__func__, config, 0.F, [](const AnalysisConfig& c) { return c.fraction_of_gpu_memory_for_pool(); });
}
void PD_SetMkldnnCacheCapacity(PD_AnalysisConfig* config, int capacity) {
  with_fluid(__func__, config, [&](AnalysisConfig& c) { c.SetMkldnnCacheCapacity(capacity); });
}
void PD_SetCpuMathLibraryNumThreads(PD_AnalysisConfig* config, int cpu_math_library_num_threads) {
  with_fluid(__func__, config, [&](AnalysisConfig& c) { c.SetCpuMathLibraryNumThreads(cpu_math_library_num_threads); });
}
int PD_CpuMathLibraryNumThreads(const PD_AnalysisConfig* config) {
  return ask_fluid(__func__, config, 0, [](const AnalysisConfig& c) { return c.cpu_math_library_num_threads(); });
}

// Switches, and whether they are on.
#define SWITCH(function, call)                                         \
  void function(PD_AnalysisConfig* config) {                           \
    with_fluid(__func__, config, [](AnalysisConfig& c) { c.call(); }); \
  }
#define SWITCH_TO(function, call)                                        \
  void function(PD_AnalysisConfig* config, bool x) {                     \
    with_fluid(__func__, config, [x](AnalysisConfig& c) { c.call(x); }); \
  }
#define IS_ON(function, call)                                                                    \
  bool function(const PD_AnalysisConfig* config) {                                               \
    return ask_fluid(__func__, config, false, [](const AnalysisConfig& c) { return c.call(); }); \
  }
SWITCH(PD_DisableGpu, DisableGpu)
IS_ON(PD_UseGpu, use_gpu)
IS_ON(PD_UseXpu, use_xpu)
SWITCH(PD_EnableCUDNN, EnableCUDNN)
IS_ON(PD_CudnnEnabled, cudnn_enabled)
SWITCH_TO(PD_SwitchIrOptim, SwitchIrOptim)
IS_ON(PD_IrOptim, ir_optim)
SWITCH_TO(PD_SwitchUseFeedFetchOps, SwitchUseFeedFetchOps)
IS_ON(PD_UseFeedFetchOpsEnabled, use_feed_fetch_ops_enabled)
SWITCH_TO(PD_SwitchSpecifyInputNames, SwitchSpecifyInputNames)
IS_ON(PD_SpecifyInputName, specify_input_name)
IS_ON(PD_TensorrtEngineEnabled, tensorrt_engine_enabled)
SWITCH_TO(PD_SwitchIrDebug, SwitchIrDebug)
SWITCH(PD_EnableMKLDNN, EnableMKLDNN)
SWITCH(PD_EnableONEDNN, EnableMKLDNN)
IS_ON(PD_MkldnnEnabled, mkldnn_enabled)
SWITCH(PD_EnableMkldnnQuantizer, EnableMkldnnQuantizer)
IS_ON(PD_MkldnnQuantizerEnabled, mkldnn_quantizer_enabled)
SWITCH(PD_EnableMkldnnBfloat16, EnableMkldnnBfloat16)
IS_ON(PD_MkldnnBfloat16Enabled, mkldnn_bfloat16_enabled)
IS_ON(PD_ModelFromMemory, model_from_memory)
SWITCH(PD_EnableMemoryOptim, EnableMemoryOptim)
IS_ON(PD_MemoryOptimEnabled, enable_memory_optim)
SWITCH(PD_EnableProfile, EnableProfile)
IS_ON(PD_ProfileEnabled, profile_enabled)
SWITCH(PD_SetInValid, SetInValid)
IS_ON(PD_IsValid, is_valid)
SWITCH(PD_DisableGlogInfo, DisableGlogInfo)

}  // extern "C"
