// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Checks and choices of element types as kernels of custom operators write them.
#include "dense_tensor.h"

/// Throw with the place and all that they are given.
#define PD_THROW(...) ::paddle::detail::fail_at(__FILE__, __LINE__, nullptr, ::paddle::detail::text(__VA_ARGS__))
#define PD_CHECK(COND, ...)                                                                                 \
  do {                                                                                                      \
    if (!(COND)) ::paddle::detail::fail_at(__FILE__, __LINE__, #COND, ::paddle::detail::text(__VA_ARGS__)); \
  } while (0)

/// Runs a function of no arguments in which `data_t` is the C++ type of an element type; NAME is what to call it.
#define CORACLE_PD_CASE(TYPE_NUMBER, CPP_TYPE, ...) \
  case ::paddle::DataType::TYPE_NUMBER: {           \
    using data_t = CPP_TYPE;                        \
    return __VA_ARGS__();                           \
  }
#define CORACLE_PD_FLOATING(...)               \
  CORACLE_PD_CASE(FLOAT32, float, __VA_ARGS__) \
  CORACLE_PD_CASE(FLOAT64, double, __VA_ARGS__)
#define CORACLE_PD_HALF(...)                                   \
  CORACLE_PD_CASE(FLOAT16, ::phi::dtype::float16, __VA_ARGS__) \
  CORACLE_PD_CASE(BFLOAT16, ::phi::dtype::bfloat16, __VA_ARGS__)
#define CORACLE_PD_INTEGRAL(...)               \
  CORACLE_PD_CASE(INT32, int32_t, __VA_ARGS__) \
  CORACLE_PD_CASE(INT64, int64_t, __VA_ARGS__) \
  CORACLE_PD_CASE(INT8, int8_t, __VA_ARGS__)   \
  CORACLE_PD_CASE(UINT8, uint8_t, __VA_ARGS__) \
  CORACLE_PD_CASE(INT16, int16_t, __VA_ARGS__)
#define CORACLE_PD_DISPATCH(TYPE, NAME, CASES)                                       \
  [&] {                                                                              \
    const ::paddle::DataType coracle_type = TYPE;                                    \
    switch (coracle_type) {                                                          \
      CASES                                                                          \
      default: PD_THROW(NAME, " has no kernel for elements of type ", coracle_type); \
    }                                                                                \
  }()

#define PD_DISPATCH_FLOATING_TYPES(TYPE, NAME, ...) CORACLE_PD_DISPATCH(TYPE, NAME, CORACLE_PD_FLOATING(__VA_ARGS__))
#define PD_DISPATCH_FLOATING_AND_HALF_TYPES(TYPE, NAME, ...) \
  CORACLE_PD_DISPATCH(TYPE, NAME, CORACLE_PD_FLOATING(__VA_ARGS__) CORACLE_PD_HALF(__VA_ARGS__))
#define PD_DISPATCH_INTEGRAL_TYPES(TYPE, NAME, ...) CORACLE_PD_DISPATCH(TYPE, NAME, CORACLE_PD_INTEGRAL(__VA_ARGS__))
#define PD_DISPATCH_FLOATING_AND_INTEGRAL_TYPES(TYPE, NAME, ...) \
  CORACLE_PD_DISPATCH(TYPE, NAME, CORACLE_PD_FLOATING(__VA_ARGS__) CORACLE_PD_INTEGRAL(__VA_ARGS__))
/// Complex numbers are no elements of paddle::Tensor here: they are refused when they come.
#define PD_DISPATCH_FLOATING_AND_COMPLEX_TYPES PD_DISPATCH_FLOATING_TYPES
#define PD_DISPATCH_FLOATING_AND_INTEGRAL_AND_COMPLEX_TYPES PD_DISPATCH_FLOATING_AND_INTEGRAL_TYPES

namespace paddle {
namespace detail {

[[noreturn]] inline void fail_at(const char* file, int line, const char* condition, const std::string& message) {
  fail(message, message.empty() ? "" : " ", condition == nullptr ? "" : "Expected ",
       condition == nullptr ? "" : condition, condition == nullptr ? "" : ", but it is not so. ", "(at ", file, ":",
       line, ")");
}

}  // namespace detail
}  // namespace paddle
