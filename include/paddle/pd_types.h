/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "pd_common.h"

typedef struct PD_OneDimArrayInt32 {
  size_t size;
  int32_t* data;
} PD_OneDimArrayInt32;

typedef struct PD_OneDimArraySize {
  size_t size;
  size_t* data;
} PD_OneDimArraySize;

typedef struct PD_OneDimArrayInt64 {
  size_t size;
  int64_t* data;
} PD_OneDimArrayInt64;

typedef struct PD_OneDimArrayCstr {
  size_t size;
  char** data;
} PD_OneDimArrayCstr;

/** `size` counts the zero byte; an empty string has size 0 and no data. */
typedef struct PD_Cstr {
  size_t size;
  char* data;
} PD_Cstr;

typedef struct PD_TwoDimArraySize {
  size_t size;
  PD_OneDimArraySize** data;
} PD_TwoDimArraySize;

PD_ENUM(PD_PrecisionType){PD_PRECISION_FLOAT32 = 0, PD_PRECISION_INT8 = 1, PD_PRECISION_HALF = 2};

PD_ENUM(PD_PlaceType){PD_PLACE_UNK = -1, PD_PLACE_CPU = 0, PD_PLACE_GPU = 1, PD_PLACE_XPU = 2, PD_PLACE_CUSTOM = 3};

/** Other numbers than in C++. */
PD_ENUM(PD_DataType){
    PD_DATA_UNK = -1, PD_DATA_FLOAT32 = 0, PD_DATA_INT32 = 1, PD_DATA_INT64 = 2, PD_DATA_UINT8 = 3, PD_DATA_INT8 = 4,
};

typedef struct PD_IOInfo {
  PD_Cstr* name;
  PD_OneDimArrayInt64* shape;
  PD_DataType dtype;
} PD_IOInfo;

typedef struct PD_IOInfos {
  size_t size;
  PD_IOInfo** io_info;
} PD_IOInfos;
