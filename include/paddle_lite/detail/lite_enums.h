// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../paddle/detail/error.h"

/// The enumerations of Paddle Lite, with its numbers.
namespace paddle {
namespace lite_api {

enum class TargetType : int {
  kUnk = 0,
  kHost = 1,
  kX86 = 2,
  kCUDA = 3,
  kARM = 4,
  kOpenCL = 5,
  kAny = 6,
  kFPGA = 7,
  kNPU = 8,
  kXPU = 9,
  kBM = 10,
  kMLU = 11,
  kRKNPU = 12,
  kAPU = 13,
  kHuaweiAscendNPU = 14,
  kImaginationNNA = 15,
  kIntelFPGA = 16,
  kMetal = 17,
  kNNAdapter = 18,
  NUM = 19,
};

enum class PrecisionType : int {
  kUnk = 0,
  kFloat = 1,
  kInt8 = 2,
  kInt32 = 3,
  kAny = 4,
  kFP16 = 5,
  kBool = 6,
  kInt64 = 7,
  kInt16 = 8,
  kUInt8 = 9,
  kFP64 = 10,
  NUM = 11,
};

enum class DataLayoutType : int {
  kUnk = 0,
  kNCHW = 1,
  kAny = 2,
  kNHWC = 3,
  kImageDefault = 4,
  kImageFolder = 5,
  kImageNW = 6,
  kMetalTexture2DArray = 7,
  kMetalTexture2D = 8,
  NUM = 9,
};

enum class ActivationType : int {
  kIndentity = 0,
  kRelu = 1,
  kRelu6 = 2,
  kPRelu = 3,
  kLeakyRelu = 4,
  kSigmoid = 5,
  kTanh = 6,
  kSwish = 7,
  kExp = 8,
  kAbs = 9,
  kHardSwish = 10,
  kReciprocal = 11,
  kThresholdedRelu = 12,
  kElu = 13,
  kHardSigmoid = 14,
  kLog = 15,
  kSigmoid_v2 = 16,
  kTanh_v2 = 17,
  kGelu = 18,
  kErf = 19,
  kSign = 20,
  kSoftPlus = 21,
  kMish = 22,
  kSilu = 23,
  kLog1p = 24,
  NUM = 25,
};

/// Which cores of a telephone a program wants.
enum PowerMode {
  LITE_POWER_HIGH = 0,
  LITE_POWER_LOW = 1,
  LITE_POWER_FULL = 2,
  LITE_POWER_NO_BIND = 3,
  LITE_POWER_RAND_HIGH = 4,
  LITE_POWER_RAND_LOW = 5,
};

enum CLTuneMode { CL_TUNE_NONE = 0, CL_TUNE_RAPID = 1, CL_TUNE_NORMAL = 2, CL_TUNE_EXHAUSTIVE = 3 };
enum CLPrecisionType { CL_PRECISION_AUTO = 0, CL_PRECISION_FP32 = 1, CL_PRECISION_FP16 = 2 };
enum MLUCoreVersion { MLU_220 = 0, MLU_270 = 1 };
enum PrecisionMode { LITE_PRECISION_NORMAL = 0, LITE_PRECISION_LOW = 1 };

enum class QuantType : int { QUANT_INT8 = 0, QUANT_INT16 = 1 };
enum class LiteModelType { kProtobuf = 0, kNaiveBuffer = 1, UNK = 2 };
enum class L3CacheSetMethod { kDeviceL3Cache = 0, kDeviceL2Cache = 1, kAbsolute = 2 };

/// Bytes of an element; 0 for what is no type of elements, and, as in Paddle Lite, for kBool.
inline size_t PrecisionTypeLength(PrecisionType type) {
  switch (type) {
    case PrecisionType::kInt8:
    case PrecisionType::kUInt8: return 1;
    case PrecisionType::kFP16:
    case PrecisionType::kInt16: return 2;
    case PrecisionType::kFloat:
    case PrecisionType::kInt32: return 4;
    case PrecisionType::kInt64:
    case PrecisionType::kFP64: return 8;
    default: return 0;
  }
}

/// The element type of a C++ type; kUnk for those that are none.
template <class T>
struct PrecisionTypeTrait {
  static constexpr PrecisionType Type() { return PrecisionType::kUnk; }
};
#define CORACLE_LITE_PRECISION(T, precision)                                   \
  template <>                                                                  \
  struct PrecisionTypeTrait<T> {                                               \
    static constexpr PrecisionType Type() { return PrecisionType::precision; } \
  };
CORACLE_LITE_PRECISION(bool, kBool)
CORACLE_LITE_PRECISION(float, kFloat)
CORACLE_LITE_PRECISION(double, kFP64)
CORACLE_LITE_PRECISION(uint8_t, kUInt8)
CORACLE_LITE_PRECISION(int8_t, kInt8)
CORACLE_LITE_PRECISION(int16_t, kInt16)
CORACLE_LITE_PRECISION(int32_t, kInt32)
CORACLE_LITE_PRECISION(int64_t, kInt64)
#undef CORACLE_LITE_PRECISION

}  // namespace lite_api

namespace detail {

/// What Paddle Lite calls an element type; kUnk for those that it has no name for.
inline lite_api::PrecisionType lite_precision(coracle_dtype dtype) {
  using lite_api::PrecisionType;
  switch (dtype) {
    case CORACLE_BOOL: return PrecisionType::kBool;
    case CORACLE_INT8: return PrecisionType::kInt8;
    case CORACLE_UINT8: return PrecisionType::kUInt8;
    case CORACLE_INT16: return PrecisionType::kInt16;
    case CORACLE_INT32: return PrecisionType::kInt32;
    case CORACLE_INT64: return PrecisionType::kInt64;
    case CORACLE_FLOAT16: return PrecisionType::kFP16;
    case CORACLE_FLOAT32: return PrecisionType::kFloat;
    case CORACLE_FLOAT64: return PrecisionType::kFP64;
    default: return PrecisionType::kUnk;
  }
}

}  // namespace detail
}  // namespace paddle
