// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/epilogue.h"
#include "ops/quantize/quantization.h"

/// Sums of products of 8-bit integers. Made by rewrites, never found in a file.
///
/// Operand 0 (int8, -128 to 127) and operand 1 (int8, if constant -127 to 127) are multiplied and summed exactly. The
/// sum is rounded to float32 once; the epilogue's steps follow, each rounded to float32, the first of which multiplies
/// by what an integer stands for. Integers stand for steps from zero: there are no zero points.
namespace coracle::internal {

/// What is the same for all of them; a base of the operators' structs.
struct IntegerProduct : Epilogue {
  /// So many products fit in 32 bits: 132104 * 128 * 127 < 2^31.
  static constexpr int64_t kMostProducts = 132104;
  /// The same where operand 1 is computed: 131071 * 128 * 128 < 2^31.
  static constexpr int64_t kMostComputedProducts = 131071;

  float result_scale = 0;  ///< 0: the result is float32; else int8, where 127 stands for this
  QuantizationRounding round_type = QuantizationRounding::kHalfToEven;  ///< of an int8 result

  void attributes(AttributeVisitor& visit) {
    visit("result_scale", result_scale);
    visit("round_type", round_type);
    Epilogue::attributes(visit);
  }
  friend bool operator==(const IntegerProduct&, const IntegerProduct&) = default;
};

inline constexpr float kInt8Limit = 127;

/// x in steps of scale / 127; zero for NaN, which is no integer.
int8_t quantized_to_int8(float x, float scale, QuantizationRounding rounding);

/// Result 0 of the product `shape`, whose tensors stand at port 2.
void infer_integer_product(const IntegerProduct& op, InferArgs& a, const Shape& shape, int channel_axis);

/// Result 0 of exact sums in float64.
void reference_integer_product(const IntegerProduct& op, ReferenceArgs& a, const Tensor& sums, int channel_axis);

/// An operand in float64.
Tensor exact_integers(const RunContext& context, const Tensor& t);

}  // namespace coracle::internal
