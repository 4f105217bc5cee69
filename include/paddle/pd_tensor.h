/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "pd_common.h"
#include "pd_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** An input or output by its name; it may be kept from run to run. */
typedef struct PD_Tensor PD_Tensor;

PADDLE_CAPI_EXPORT extern void PD_TensorDestroy(__pd_take PD_Tensor* pd_tensor);
PADDLE_CAPI_EXPORT extern void PD_TensorReshape(__pd_keep PD_Tensor* pd_tensor, size_t shape_size, int32_t* shape);
PADDLE_CAPI_EXPORT extern float* PD_TensorMutableDataFloat(__pd_keep PD_Tensor* pd_tensor, PD_PlaceType place);
PADDLE_CAPI_EXPORT extern int64_t* PD_TensorMutableDataInt64(__pd_keep PD_Tensor* pd_tensor, PD_PlaceType place);
PADDLE_CAPI_EXPORT extern int32_t* PD_TensorMutableDataInt32(__pd_keep PD_Tensor* pd_tensor, PD_PlaceType place);
PADDLE_CAPI_EXPORT extern uint8_t* PD_TensorMutableDataUint8(__pd_keep PD_Tensor* pd_tensor, PD_PlaceType place);
PADDLE_CAPI_EXPORT extern int8_t* PD_TensorMutableDataInt8(__pd_keep PD_Tensor* pd_tensor, PD_PlaceType place);
PADDLE_CAPI_EXPORT extern float* PD_TensorDataFloat(__pd_keep PD_Tensor* pd_tensor, PD_PlaceType* place, int32_t* size);
PADDLE_CAPI_EXPORT extern int64_t* PD_TensorDataInt64(__pd_keep PD_Tensor* pd_tensor, PD_PlaceType* place,
                                                      int32_t* size);
PADDLE_CAPI_EXPORT extern int32_t* PD_TensorDataInt32(__pd_keep PD_Tensor* pd_tensor, PD_PlaceType* place,
                                                      int32_t* size);
PADDLE_CAPI_EXPORT extern uint8_t* PD_TensorDataUint8(__pd_keep PD_Tensor* pd_tensor, PD_PlaceType* place,
                                                      int32_t* size);
PADDLE_CAPI_EXPORT extern int8_t* PD_TensorDataInt8(__pd_keep PD_Tensor* pd_tensor, PD_PlaceType* place, int32_t* size);
PADDLE_CAPI_EXPORT extern void PD_TensorCopyFromCpuFloat(__pd_keep PD_Tensor* pd_tensor, const float* data);
PADDLE_CAPI_EXPORT extern void PD_TensorCopyFromCpuInt64(__pd_keep PD_Tensor* pd_tensor, const int64_t* data);
PADDLE_CAPI_EXPORT extern void PD_TensorCopyFromCpuInt32(__pd_keep PD_Tensor* pd_tensor, const int32_t* data);
PADDLE_CAPI_EXPORT extern void PD_TensorCopyFromCpuUint8(__pd_keep PD_Tensor* pd_tensor, const uint8_t* data);
PADDLE_CAPI_EXPORT extern void PD_TensorCopyFromCpuInt8(__pd_keep PD_Tensor* pd_tensor, const int8_t* data);
PADDLE_CAPI_EXPORT extern void PD_TensorCopyToCpuFloat(__pd_keep PD_Tensor* pd_tensor, float* data);
PADDLE_CAPI_EXPORT extern void PD_TensorCopyToCpuInt64(__pd_keep PD_Tensor* pd_tensor, int64_t* data);
PADDLE_CAPI_EXPORT extern void PD_TensorCopyToCpuInt32(__pd_keep PD_Tensor* pd_tensor, int32_t* data);
PADDLE_CAPI_EXPORT extern void PD_TensorCopyToCpuUint8(__pd_keep PD_Tensor* pd_tensor, uint8_t* data);
PADDLE_CAPI_EXPORT extern void PD_TensorCopyToCpuInt8(__pd_keep PD_Tensor* pd_tensor, int8_t* data);
PADDLE_CAPI_EXPORT extern __pd_give PD_OneDimArrayInt32* PD_TensorGetShape(__pd_keep PD_Tensor* pd_tensor);
PADDLE_CAPI_EXPORT extern void PD_TensorSetLod(__pd_keep PD_Tensor* pd_tensor, PD_TwoDimArraySize* lod);
PADDLE_CAPI_EXPORT extern __pd_give PD_TwoDimArraySize* PD_TensorGetLod(__pd_keep PD_Tensor* pd_tensor);
PADDLE_CAPI_EXPORT extern const char* PD_TensorGetName(__pd_keep PD_Tensor* pd_tensor);
PADDLE_CAPI_EXPORT extern PD_DataType PD_TensorGetDataType(__pd_keep PD_Tensor* pd_tensor);

#ifdef __cplusplus
}  // extern "C"
#endif
