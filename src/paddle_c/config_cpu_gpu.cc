// SPDX-License-Identifier: Apache-2.0
#include "paddle_c/arguments.h"

using coracle::paddle_c::ask_config;
using coracle::paddle_c::precision_of;
using coracle::paddle_c::set_of;
using coracle::paddle_c::with_config;
using paddle_infer::Config;

extern "C" {

// CPU and oneDNN.

void PD_ConfigSetCpuMathLibraryNumThreads(PD_Config* pd_config, int32_t cpu_math_library_num_threads) {
  with_config(__func__, pd_config, [&](Config& c) { c.SetCpuMathLibraryNumThreads(cpu_math_library_num_threads); });
}
int32_t PD_ConfigGetCpuMathLibraryNumThreads(PD_Config* pd_config) {
  return ask_config(__func__, pd_config, int32_t{0}, [](Config& c) { return c.cpu_math_library_num_threads(); });
}
void PD_ConfigEnableMKLDNN(PD_Config* pd_config) {
  with_config(__func__, pd_config, [](Config& c) { c.EnableMKLDNN(); });
}
PD_Bool PD_ConfigMkldnnEnabled(PD_Config* pd_config) {
  return ask_config(__func__, pd_config, [](Config& c) { return c.mkldnn_enabled(); });
}
void PD_ConfigSetMkldnnCacheCapacity(PD_Config* pd_config, int32_t capacity) {
  with_config(__func__, pd_config, [&](Config& c) { c.SetMkldnnCacheCapacity(capacity); });
}
void PD_ConfigSetMkldnnOp(PD_Config* pd_config, size_t ops_num, const char** op_list) {
  with_config(__func__, pd_config, [&](Config& c) { c.SetMKLDNNOp(set_of(op_list, ops_num, "op_list")); });
}
void PD_ConfigEnableMkldnnBfloat16(PD_Config* pd_config) {
  with_config(__func__, pd_config, [](Config& c) { c.EnableMkldnnBfloat16(); });
}
PD_Bool PD_ConfigMkldnnBfloat16Enabled(PD_Config* pd_config) {
  return ask_config(__func__, pd_config, [](Config& c) { return c.mkldnn_bfloat16_enabled(); });
}
void PD_ConfigSetBfloat16Op(PD_Config* pd_config, size_t ops_num, const char** op_list) {
  with_config(__func__, pd_config, [&](Config& c) { c.SetBfloat16Op(set_of(op_list, ops_num, "op_list")); });
}
void PD_ConfigEnableMkldnnInt8(PD_Config* pd_config) {
  with_config(__func__, pd_config, [](Config& c) { c.EnableMkldnnInt8(); });
}
PD_Bool PD_ConfigMkldnnInt8Enabled(PD_Config* pd_config) {
  return ask_config(__func__, pd_config, [](Config& c) { return c.mkldnn_int8_enabled(); });
}
void PD_ConfigEnableMkldnnQuantizer(PD_Config* pd_config) {
  with_config(__func__, pd_config, [](Config& c) { c.EnableMkldnnQuantizer(); });
}
PD_Bool PD_ConfigMkldnnQuantizerEnabled(PD_Config* pd_config) {
  return ask_config(__func__, pd_config, [](Config& c) { return c.mkldnn_quantizer_enabled(); });
}
void PD_ConfigDisableFCPadding(PD_Config* pd_config) {
  with_config(__func__, pd_config, [](Config& c) { c.DisableFCPadding(); });
}
PD_Bool PD_ConfigUseFcPadding(PD_Config* pd_config) {
  return ask_config(__func__, pd_config, [](Config& c) { return c.use_fc_padding(); });
}

// GPU.

void PD_ConfigEnableUseGpu(PD_Config* pd_config, uint64_t memory_pool_init_size_mb, int32_t device_id,
                           PD_PrecisionType precision_mode) {
  with_config(__func__, pd_config,
              [&](Config& c) { c.EnableUseGpu(memory_pool_init_size_mb, device_id, precision_of(precision_mode)); });
}
void PD_ConfigDisableGpu(PD_Config* pd_config) {
  with_config(__func__, pd_config, [](Config& c) { c.DisableGpu(); });
}
PD_Bool PD_ConfigUseGpu(PD_Config* pd_config) {
  return ask_config(__func__, pd_config, [](Config& c) { return c.use_gpu(); });
}
int32_t PD_ConfigGpuDeviceId(PD_Config* pd_config) {
  return ask_config(__func__, pd_config, int32_t{0}, [](Config& c) { return c.gpu_device_id(); });
}
int32_t PD_ConfigMemoryPoolInitSizeMb(PD_Config* pd_config) {
  return ask_config(__func__, pd_config, int32_t{0}, [](Config& c) { return c.memory_pool_init_size_mb(); });
}
float PD_ConfigFractionOfGpuMemoryForPool(PD_Config* pd_config) {
  return ask_config(__func__, pd_config, 0.F, [](Config& c) { return c.fraction_of_gpu_memory_for_pool(); });
}
void PD_ConfigEnableCudnn(PD_Config* pd_config) {
  with_config(__func__, pd_config, [](Config& c) { c.EnableCUDNN(); });
}
PD_Bool PD_ConfigCudnnEnabled(PD_Config* pd_config) {
  return ask_config(__func__, pd_config, [](Config& c) { return c.cudnn_enabled(); });
}
void PD_ConfigEnableGpuMultiStream(PD_Config* pd_config) {
  with_config(__func__, pd_config, [](Config& c) { c.EnableGpuMultiStream(); });
}
PD_Bool PD_ConfigThreadLocalStreamEnabled(PD_Config* pd_config) {
  return ask_config(__func__, pd_config, [](Config& c) { return c.thread_local_stream_enabled(); });
}
void PD_ConfigSetExecStream(PD_Config* pd_config, void* stream) {
  with_config(__func__, pd_config, [&](Config& c) { c.SetExecStream(stream); });
}

}  // extern "C"
