// SPDX-License-Identifier: Apache-2.0
#include "paddle_c/arguments.h"

using coracle::paddle_c::ask_config;
using coracle::paddle_c::given;
using coracle::paddle_c::guard;
using coracle::paddle_c::names_of;
using coracle::paddle_c::precision_of;
using coracle::paddle_c::text;
using coracle::paddle_c::with_config;
using paddle_infer::Config;

extern "C" {

// Other devices and engines.

void PD_ConfigEnableONNXRuntime(PD_Config* pd_config) {
  with_config(__func__, pd_config, [](Config& c) { c.EnableONNXRuntime(); });
}
void PD_ConfigDisableONNXRuntime(PD_Config* pd_config) {
  with_config(__func__, pd_config, [](Config& c) { c.DisableONNXRuntime(); });
}
PD_Bool PD_ConfigONNXRuntimeEnabled(PD_Config* pd_config) {
  return ask_config(__func__, pd_config, [](Config& c) { return c.use_onnxruntime(); });
}
void PD_ConfigEnableORTOptimization(PD_Config* pd_config) {
  with_config(__func__, pd_config, [](Config& c) { c.EnableORTOptimization(); });
}
void PD_ConfigEnableXpu(PD_Config* pd_config, int32_t l3_workspace_size, PD_Bool locked, PD_Bool autotune,
                        const char* autotune_file, const char* precision, PD_Bool adaptive_seqlen,
                        PD_Bool enable_multi_stream) {
  with_config(__func__, pd_config, [&](Config& c) {
    c.EnableXpu(l3_workspace_size, locked != FALSE, autotune != FALSE, text(autotune_file, "autotune_file"),
                text(precision, "precision"), adaptive_seqlen != FALSE, enable_multi_stream != FALSE);
  });
}
PD_Bool PD_ConfigUseXpu(PD_Config* pd_config) {
  return ask_config(__func__, pd_config, [](Config& c) { return c.use_xpu(); });
}
int32_t PD_ConfigXpuDeviceId(PD_Config* pd_config) {
  return ask_config(__func__, pd_config, int32_t{0}, [](Config& c) { return c.xpu_device_id(); });
}
void PD_ConfigEnableNpu(PD_Config* pd_config, int32_t device_id) {
  with_config(__func__, pd_config, [&](Config& c) { c.EnableNpu(device_id); });
}
PD_Bool PD_ConfigUseNpu(PD_Config* pd_config) {
  return ask_config(__func__, pd_config, [](Config& c) { return c.use_npu(); });
}
int32_t PD_ConfigNpuDeviceId(PD_Config* pd_config) {
  return ask_config(__func__, pd_config, int32_t{0}, [](Config& c) { return c.npu_device_id(); });
}
void PD_ConfigEnableCustomDevice(PD_Config* pd_config, char* device_type, int32_t device_id,
                                 PD_PrecisionType precision) {
  with_config(__func__, pd_config, [&](Config& c) {
    c.EnableCustomDevice(text(device_type, "device_type"), device_id, precision_of(precision));
  });
}
PD_Bool PD_ConfigUseCustomDevice(PD_Config* pd_config) {
  return ask_config(__func__, pd_config, [](Config& c) { return c.use_custom_device(); });
}
int32_t PD_ConfigCustomDeviceId(PD_Config* pd_config) {
  return ask_config(__func__, pd_config, int32_t{0}, [](Config& c) { return c.custom_device_id(); });
}
/// Valid until the next call for this config.
char* PD_ConfigCustomDeviceType(PD_Config* pd_config) {
  return guard(__func__, static_cast<char*>(nullptr), [&] {
    PD_Config& handle = given(pd_config, "pd_config");
    handle.custom_device_type = handle.config.custom_device_type();
    return handle.custom_device_type.data();
  });
}
void PD_ConfigEnableLiteEngine(PD_Config* pd_config, PD_PrecisionType precision, PD_Bool zero_copy,
                               size_t passes_filter_num, const char** passes_filter, size_t ops_filter_num,
                               const char** ops_filter) {
  with_config(__func__, pd_config, [&](Config& c) {
    c.EnableLiteEngine(precision_of(precision), zero_copy != FALSE,
                       names_of(passes_filter, passes_filter_num, "passes_filter"),
                       names_of(ops_filter, ops_filter_num, "ops_filter"));
  });
}
PD_Bool PD_ConfigLiteEngineEnabled(PD_Config* pd_config) {
  return ask_config(__func__, pd_config, [](Config& c) { return c.lite_engine_enabled(); });
}

// TensorRT and shapes.

void PD_ConfigEnableTensorRtEngine(PD_Config* pd_config, int64_t workspace_size, int32_t max_batch_size,
                                   int32_t min_subgraph_size, PD_PrecisionType precision, PD_Bool use_static,
                                   PD_Bool use_calib_mode) {
  with_config(__func__, pd_config, [&](Config& c) {
    c.EnableTensorRtEngine(workspace_size, max_batch_size, min_subgraph_size, precision_of(precision),
                           use_static != FALSE, use_calib_mode != FALSE);
  });
}
PD_Bool PD_ConfigTensorRtEngineEnabled(PD_Config* pd_config) {
  return ask_config(__func__, pd_config, [](Config& c) { return c.tensorrt_engine_enabled(); });
}
void PD_ConfigSetTrtDynamicShapeInfo(PD_Config* pd_config, size_t tensor_num, const char** tensor_name,
                                     size_t* shapes_num, int32_t** min_shape, int32_t** max_shape,
                                     int32_t** optim_shape, PD_Bool disable_trt_plugin_fp16) {
  with_config(__func__, pd_config, [&](Config& c) {
    const std::vector<std::string> names = names_of(tensor_name, tensor_num, "tensor_name");
    if (tensor_num != 0) given(shapes_num, "shapes_num");
    const auto shapes = [&](int32_t** lists, const char* argument) {
      std::map<std::string, std::vector<int>> out;
      if (tensor_num != 0) given(lists, argument);
      for (size_t i = 0; i < tensor_num; ++i) {
        if (shapes_num[i] != 0) given(lists[i], argument);
        out[names[i]].assign(lists[i], lists[i] + shapes_num[i]);
      }
      return out;
    };
    c.SetTRTDynamicShapeInfo(shapes(min_shape, "min_shape"), shapes(max_shape, "max_shape"),
                             shapes(optim_shape, "optim_shape"), disable_trt_plugin_fp16 != FALSE);
  });
}
PD_Bool PD_ConfigTensorRtDynamicShapeEnabled(PD_Config* pd_config) {
  return ask_config(__func__, pd_config, [](Config& c) { return c.tensorrt_dynamic_shape_enabled(); });
}
void PD_ConfigEnableTunedTensorRtDynamicShape(PD_Config* pd_config, const char* shape_range_info_path,
                                              PD_Bool allow_build_at_runtime) {
  with_config(__func__, pd_config, [&](Config& c) {
    c.EnableTunedTensorRtDynamicShape(text(shape_range_info_path, "shape_range_info_path"),
                                      allow_build_at_runtime != FALSE);
  });
}
PD_Bool PD_ConfigTunedTensorRtDynamicShape(PD_Config* pd_config) {
  return ask_config(__func__, pd_config, [](Config& c) { return c.tuned_tensorrt_dynamic_shape(); });
}
PD_Bool PD_ConfigTrtAllowBuildAtRuntime(PD_Config* pd_config) {
  return ask_config(__func__, pd_config, [](Config& c) { return c.trt_allow_build_at_runtime(); });
}
void PD_ConfigCollectShapeRangeInfo(PD_Config* pd_config, const char* shape_range_info_path) {
  with_config(__func__, pd_config,
              [&](Config& c) { c.CollectShapeRangeInfo(text(shape_range_info_path, "shape_range_info_path")); });
}
const char* PD_ConfigShapeRangeInfoPath(PD_Config* pd_config) {
  return ask_config(__func__, pd_config, static_cast<const char*>(nullptr),
                    [](Config& c) { return c.shape_range_info_path().c_str(); });
}
PD_Bool PD_ConfigShapeRangeInfoCollected(PD_Config* pd_config) {
  return ask_config(__func__, pd_config, [](Config& c) { return c.shape_range_info_collected(); });
}
void PD_ConfigDisableTensorRtOPs(PD_Config* pd_config, size_t ops_num, const char** ops_name) {
  with_config(__func__, pd_config,
              [&](Config& c) { c.Exp_DisableTensorRtOPs(names_of(ops_name, ops_num, "ops_name")); });
}
void PD_ConfigEnableVarseqlen(PD_Config* pd_config) {
  with_config(__func__, pd_config, [](Config& c) { c.EnableVarseqlen(); });
}
void PD_ConfigEnableTensorRtOSS(PD_Config* pd_config) {
  with_config(__func__, pd_config, [](Config& c) { c.EnableTensorRtOSS(); });
}
PD_Bool PD_ConfigTensorRtOssEnabled(PD_Config* pd_config) {
  return ask_config(__func__, pd_config, [](Config& c) { return c.tensorrt_varseqlen_enabled(); });
}
void PD_ConfigEnableTensorRtDla(PD_Config* pd_config, int32_t dla_core) {
  with_config(__func__, pd_config, [&](Config& c) { c.EnableTensorRtDLA(dla_core); });
}
PD_Bool PD_ConfigTensorRtDlaEnabled(PD_Config* pd_config) {
  return ask_config(__func__, pd_config, [](Config& c) { return c.tensorrt_dla_enabled(); });
}

}  // extern "C"
