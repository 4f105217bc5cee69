/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "pd_common.h"
#include "pd_types.h"

#ifdef __cplusplus
extern "C" {
#endif

PADDLE_CAPI_EXPORT extern void PD_OneDimArrayInt32Destroy(__pd_take PD_OneDimArrayInt32* array);
PADDLE_CAPI_EXPORT extern void PD_OneDimArrayInt64Destroy(__pd_take PD_OneDimArrayInt64* array);
PADDLE_CAPI_EXPORT extern void PD_OneDimArrayCstrDestroy(__pd_take PD_OneDimArrayCstr* array);
PADDLE_CAPI_EXPORT extern void PD_OneDimArraySizeDestroy(__pd_take PD_OneDimArraySize* array);
PADDLE_CAPI_EXPORT extern void PD_TwoDimArraySizeDestroy(__pd_take PD_TwoDimArraySize* array);
PADDLE_CAPI_EXPORT extern void PD_CstrDestroy(__pd_take PD_Cstr* cstr);
PADDLE_CAPI_EXPORT extern void PD_IOInfoDestroy(__pd_take PD_IOInfo* io_info);
PADDLE_CAPI_EXPORT extern void PD_IOInfosDestroy(__pd_take PD_IOInfos* io_infos);

#ifdef __cplusplus
}  // extern "C"
#endif
