// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "error.h"
#include "half.h"

namespace paddle_infer {

using Strings = std::vector<std::string>;
typedef void (*CallbackFunc)(void*);

/// Element types; the numbers are Paddle's.
enum DataType {
  FLOAT32 = 0,
  INT64 = 1,
  INT32 = 2,
  UINT8 = 3,
  INT8 = 4,
  FLOAT16 = 5,
  BOOL = 6,
  FLOAT64 = 7,
  BFLOAT16 = 8,
};

/// Where elements lie: always kCPU here. kNPU is for programs of before 3.0, outside the numbers of today.
enum class PlaceType { kUNK = -1, kCPU = 0, kGPU = 1, kXPU = 2, kIPU = 3, kCUSTOM = 4, kNPU = 100 };

enum class DataLayout { kUNK = -1, kAny = 0, kNHWC = 1, kNCHW = 2 };

}  // namespace paddle_infer

namespace paddle {
namespace detail {

/// The library's number of a C++ element type.
template <class T>
struct ElementType {
  static_assert(sizeof(T) == 0, "not an element type of a tensor");
};
#define CORACLE_PADDLE_ELEMENT(Type, number)                  \
  template <>                                                 \
  struct ElementType<Type> {                                  \
    static constexpr coracle_dtype value() { return number; } \
  };
CORACLE_PADDLE_ELEMENT(bool, CORACLE_BOOL)
CORACLE_PADDLE_ELEMENT(int8_t, CORACLE_INT8)
CORACLE_PADDLE_ELEMENT(uint8_t, CORACLE_UINT8)
CORACLE_PADDLE_ELEMENT(int16_t, CORACLE_INT16)
CORACLE_PADDLE_ELEMENT(int32_t, CORACLE_INT32)
CORACLE_PADDLE_ELEMENT(int64_t, CORACLE_INT64)
CORACLE_PADDLE_ELEMENT(phi::dtype::float16, CORACLE_FLOAT16)
CORACLE_PADDLE_ELEMENT(phi::dtype::bfloat16, CORACLE_BFLOAT16)
CORACLE_PADDLE_ELEMENT(float, CORACLE_FLOAT32)
CORACLE_PADDLE_ELEMENT(double, CORACLE_FLOAT64)
#undef CORACLE_PADDLE_ELEMENT

/// What Paddle calls an element type; like Paddle, FLOAT32 for those that it has no name for.
inline paddle_infer::DataType paddle_type(coracle_dtype dtype) {
  switch (dtype) {
    case CORACLE_BOOL: return paddle_infer::BOOL;
    case CORACLE_INT8: return paddle_infer::INT8;
    case CORACLE_UINT8: return paddle_infer::UINT8;
    case CORACLE_INT32: return paddle_infer::INT32;
    case CORACLE_INT64: return paddle_infer::INT64;
    case CORACLE_FLOAT16: return paddle_infer::FLOAT16;
    case CORACLE_BFLOAT16: return paddle_infer::BFLOAT16;
    case CORACLE_FLOAT64: return paddle_infer::FLOAT64;
    default: return paddle_infer::FLOAT32;
  }
}

inline coracle_dtype library_type(paddle_infer::DataType type) {
  switch (type) {
    case paddle_infer::FLOAT32: return CORACLE_FLOAT32;
    case paddle_infer::INT64: return CORACLE_INT64;
    case paddle_infer::INT32: return CORACLE_INT32;
    case paddle_infer::UINT8: return CORACLE_UINT8;
    case paddle_infer::INT8: return CORACLE_INT8;
    case paddle_infer::FLOAT16: return CORACLE_FLOAT16;
    case paddle_infer::BOOL: return CORACLE_BOOL;
    case paddle_infer::FLOAT64: return CORACLE_FLOAT64;
    case paddle_infer::BFLOAT16: return CORACLE_BFLOAT16;
  }
  fail("there is no element type ", static_cast<int>(type), ", expected one of paddle_infer::DataType");
}

}  // namespace detail
}  // namespace paddle
