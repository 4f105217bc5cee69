/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "pd_common.h"
#include "pd_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What a predictor is made of. Devices and engines that are not here are recorded: PD_ConfigSummary lists them. */
typedef struct PD_Config PD_Config;

PADDLE_CAPI_EXPORT extern __pd_give PD_Config* PD_ConfigCreate(void);
PADDLE_CAPI_EXPORT extern void PD_ConfigDestroy(__pd_take PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern void PD_ConfigSetModel(__pd_keep PD_Config* pd_config, const char* prog_file_path,
                                                 const char* params_file_path);
PADDLE_CAPI_EXPORT extern void PD_ConfigSetProgFile(__pd_keep PD_Config* pd_config, const char* prog_file_path);
PADDLE_CAPI_EXPORT extern void PD_ConfigSetParamsFile(__pd_keep PD_Config* pd_config, const char* params_file_path);
PADDLE_CAPI_EXPORT extern void PD_ConfigSetOptimCacheDir(__pd_keep PD_Config* pd_config, const char* opt_cache_dir);
PADDLE_CAPI_EXPORT extern void PD_ConfigSetModelDir(__pd_keep PD_Config* pd_config, const char* model_dir);
PADDLE_CAPI_EXPORT extern const char* PD_ConfigGetModelDir(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern const char* PD_ConfigGetProgFile(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern const char* PD_ConfigGetParamsFile(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern void PD_ConfigDisableFCPadding(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern PD_Bool PD_ConfigUseFcPadding(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern void PD_ConfigEnableUseGpu(__pd_keep PD_Config* pd_config, uint64_t memory_pool_init_size_mb,
                                                     int32_t device_id, PD_PrecisionType precision_mode);
PADDLE_CAPI_EXPORT extern void PD_ConfigDisableGpu(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern PD_Bool PD_ConfigUseGpu(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern void PD_ConfigEnableONNXRuntime(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern void PD_ConfigDisableONNXRuntime(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern PD_Bool PD_ConfigONNXRuntimeEnabled(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern void PD_ConfigEnableORTOptimization(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern void PD_ConfigEnableXpu(__pd_keep PD_Config* pd_config, int32_t l3_workspace_size,
                                                  PD_Bool locked, PD_Bool autotune, const char* autotune_file,
                                                  const char* precision, PD_Bool adaptive_seqlen,
                                                  PD_Bool enable_multi_stream);
PADDLE_CAPI_EXPORT extern PD_Bool PD_ConfigUseXpu(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern int32_t PD_ConfigGpuDeviceId(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern int32_t PD_ConfigXpuDeviceId(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern void PD_ConfigEnableCustomDevice(__pd_keep PD_Config* pd_config, char* device_type,
                                                           int32_t device_id, PD_PrecisionType precision);
PADDLE_CAPI_EXPORT extern PD_Bool PD_ConfigUseCustomDevice(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern int32_t PD_ConfigCustomDeviceId(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern char* PD_ConfigCustomDeviceType(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern int32_t PD_ConfigMemoryPoolInitSizeMb(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern float PD_ConfigFractionOfGpuMemoryForPool(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern void PD_ConfigEnableCudnn(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern PD_Bool PD_ConfigCudnnEnabled(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern void PD_ConfigSwitchIrOptim(__pd_keep PD_Config* pd_config, PD_Bool x);
PADDLE_CAPI_EXPORT extern PD_Bool PD_ConfigIrOptim(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern void PD_ConfigEnableTensorRtEngine(__pd_keep PD_Config* pd_config, int64_t workspace_size,
                                                             int32_t max_batch_size, int32_t min_subgraph_size,
                                                             PD_PrecisionType precision, PD_Bool use_static,
                                                             PD_Bool use_calib_mode);
PADDLE_CAPI_EXPORT extern PD_Bool PD_ConfigTensorRtEngineEnabled(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern void PD_ConfigSetTrtDynamicShapeInfo(__pd_keep PD_Config* pd_config, size_t tensor_num,
                                                               const char** tensor_name, size_t* shapes_num,
                                                               int32_t** min_shape, int32_t** max_shape,
                                                               int32_t** optim_shape, PD_Bool disable_trt_plugin_fp16);
PADDLE_CAPI_EXPORT extern PD_Bool PD_ConfigTensorRtDynamicShapeEnabled(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern void PD_ConfigEnableTunedTensorRtDynamicShape(__pd_keep PD_Config* pd_config,
                                                                        const char* shape_range_info_path,
                                                                        PD_Bool allow_build_at_runtime);
PADDLE_CAPI_EXPORT extern PD_Bool PD_ConfigTunedTensorRtDynamicShape(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern PD_Bool PD_ConfigTrtAllowBuildAtRuntime(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern void PD_ConfigCollectShapeRangeInfo(__pd_keep PD_Config* pd_config,
                                                              const char* shape_range_info_path);
PADDLE_CAPI_EXPORT extern const char* PD_ConfigShapeRangeInfoPath(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern PD_Bool PD_ConfigShapeRangeInfoCollected(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern void PD_ConfigDisableTensorRtOPs(__pd_keep PD_Config* pd_config, size_t ops_num,
                                                           const char** ops_name);
PADDLE_CAPI_EXPORT extern void PD_ConfigEnableVarseqlen(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern PD_Bool PD_ConfigTensorRtOssEnabled(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern void PD_ConfigEnableTensorRtDla(__pd_keep PD_Config* pd_config, int32_t dla_core);
PADDLE_CAPI_EXPORT extern PD_Bool PD_ConfigTensorRtDlaEnabled(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern void PD_ConfigSwitchIrDebug(__pd_keep PD_Config* pd_config, PD_Bool x);
PADDLE_CAPI_EXPORT extern void PD_ConfigEnableMKLDNN(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern void PD_ConfigSetMkldnnCacheCapacity(__pd_keep PD_Config* pd_config, int32_t capacity);
PADDLE_CAPI_EXPORT extern PD_Bool PD_ConfigMkldnnEnabled(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern void PD_ConfigSetCpuMathLibraryNumThreads(__pd_keep PD_Config* pd_config,
                                                                    int32_t cpu_math_library_num_threads);
PADDLE_CAPI_EXPORT extern int32_t PD_ConfigGetCpuMathLibraryNumThreads(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern void PD_ConfigSetMkldnnOp(__pd_keep PD_Config* pd_config, size_t ops_num,
                                                    const char** op_list);
PADDLE_CAPI_EXPORT extern void PD_ConfigEnableMkldnnBfloat16(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern PD_Bool PD_ConfigMkldnnBfloat16Enabled(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern void PD_ConfigSetBfloat16Op(__pd_keep PD_Config* pd_config, size_t ops_num,
                                                      const char** op_list);
PADDLE_CAPI_EXPORT extern void PD_ConfigEnableMkldnnInt8(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern PD_Bool PD_ConfigMkldnnInt8Enabled(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern void PD_ConfigEnableGpuMultiStream(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern PD_Bool PD_ConfigThreadLocalStreamEnabled(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern void PD_ConfigSetExecStream(__pd_keep PD_Config* pd_config, void* stream);
PADDLE_CAPI_EXPORT extern void PD_ConfigSetModelBuffer(__pd_keep PD_Config* pd_config, const char* prog_buffer,
                                                       size_t prog_buffer_size, const char* params_buffer,
                                                       size_t params_buffer_size);
PADDLE_CAPI_EXPORT extern PD_Bool PD_ConfigModelFromMemory(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern void PD_ConfigEnableMemoryOptim(__pd_keep PD_Config* pd_config, PD_Bool x);
PADDLE_CAPI_EXPORT extern PD_Bool PD_ConfigMemoryOptimEnabled(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern void PD_ConfigEnableProfile(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern PD_Bool PD_ConfigProfileEnabled(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern void PD_ConfigDisableGlogInfo(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern PD_Bool PD_ConfigGlogInfoDisabled(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern void PD_ConfigSetInvalid(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern PD_Bool PD_ConfigIsValid(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern void PD_ConfigDeletePass(__pd_keep PD_Config* pd_config, const char* pass);
PADDLE_CAPI_EXPORT extern void PD_ConfigInsertPass(__pd_keep PD_Config* pd_config, size_t idx, const char* pass);
PADDLE_CAPI_EXPORT extern void PD_ConfigAppendPass(__pd_keep PD_Config* pd_config, const char* pass);
PADDLE_CAPI_EXPORT extern __pd_give PD_OneDimArrayCstr* PD_ConfigAllPasses(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern __pd_give PD_Cstr* PD_ConfigSummary(__pd_keep PD_Config* pd_config);

/* Since 3.0. */
PADDLE_CAPI_EXPORT extern void PD_ConfigEnableNewExecutor(__pd_keep PD_Config* pd_config, PD_Bool x);
PADDLE_CAPI_EXPORT extern PD_Bool PD_ConfigNewExecutorEnabled(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern void PD_ConfigEnableNewIR(__pd_keep PD_Config* pd_config, PD_Bool x);
PADDLE_CAPI_EXPORT extern PD_Bool PD_ConfigNewIREnabled(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern void PD_ConfigUseOptimizedModel(__pd_keep PD_Config* pd_config, PD_Bool x);

/* Until 2.6. */
PADDLE_CAPI_EXPORT extern void PD_ConfigEnableNpu(__pd_keep PD_Config* pd_config, int32_t device_id);
PADDLE_CAPI_EXPORT extern PD_Bool PD_ConfigUseNpu(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern int32_t PD_ConfigNpuDeviceId(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern void PD_ConfigEnableLiteEngine(__pd_keep PD_Config* pd_config, PD_PrecisionType precision,
                                                         PD_Bool zero_copy, size_t passes_filter_num,
                                                         const char** passes_filter, size_t ops_filter_num,
                                                         const char** ops_filter);
PADDLE_CAPI_EXPORT extern PD_Bool PD_ConfigLiteEngineEnabled(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern void PD_ConfigEnableTensorRtOSS(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern void PD_ConfigEnableMkldnnQuantizer(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern PD_Bool PD_ConfigMkldnnQuantizerEnabled(__pd_keep PD_Config* pd_config);
PADDLE_CAPI_EXPORT extern void PD_ConfigPartiallyRelease(__pd_keep PD_Config* pd_config);

#ifdef __cplusplus
}  // extern "C"
#endif
