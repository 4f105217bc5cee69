// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/quantize/integer_product.h"
#include "support/check_kernels.h"
#include "support/epilogue_steps.h"

/// Products of integers are exact: every kernel gives the bits of the reference, which multiplies integers in float64.
namespace coracle::internal::test {

inline constexpr EpilogueStep kRelu6{EpilogueKind::kClip, 0, 6};

/// All of them round the same on every instruction set.
inline const Steps kQuantizedChains[] = {{},
                                         {kMultiplyChannel},
                                         {kMultiplyChannel, kAddChannel},
                                         {kMultiplyChannel, kAddChannel, kRelu},
                                         {kMultiplyChannel, kRelu6},
                                         {kMultiplyChannel, kAddChannel, kAddTensor, kRelu},
                                         {kMultiplyChannel, kAddChannel, kAddIntegers, kRelu},
                                         {kMultiplyChannel, kAddIntegers},
                                         {kMultiplyChannel, kAddIntegers, kAddTensor, kMultiplyChannel},
                                         {kMultiplyChannel, kAddChannel, kRelu, kMultiplyChannel},
                                         {kMultiplyChannel, kAddChannel, kRelu6, kMultiplyChannel},
                                         {kAddTensor, kMultiplyChannel, kAddChannel}};

struct Result {
  float scale;
  QuantizationRounding rounding;
};
inline const Result kResults[] = {{0, QuantizationRounding::kHalfToEven},
                                  {1.75F, QuantizationRounding::kHalfToEven},
                                  {1.75F, QuantizationRounding::kHalfAwayFromZero},
                                  {0.02F, QuantizationRounding::kHalfToEven}};

/// Integers of the whole range, with many of the largest.
inline Tensor integers(const Shape& shape, int64_t low, unsigned seed, bool largest) {
  Tensor t = random_ints(shape, low, 128, DType::kInt8, seed);
  if (!largest) return t;
  for (int64_t i = 0; i < t.count(); ++i) t.data<int8_t>()[i] = static_cast<int8_t>(i % 7 == 3 ? 127 : low);
  return t;
}

inline void finish(KernelCase& c, const Steps& steps, const Shape& result, int64_t channels) {
  int tensors = 0;
  bool scaled = false;
  for (const EpilogueStep& step : steps) {
    if (!takes_tensor(step.kind)) continue;
    if (step.kind == EpilogueKind::kAddIntegers) {
      c.in.push_back(integers(result, -128, 20 + static_cast<unsigned>(tensors++), false));
      continue;
    }
    const bool whole = step.kind == EpilogueKind::kAddTensor;
    const bool scales = step.kind == EpilogueKind::kMultiplyChannel && !scaled;
    const double size = scales ? 2e-4 : 0.5;
    scaled = scaled || scales;
    c.in.push_back(
        random_floats(whole ? result : Shape{channels}, size / 4, size, 10 + static_cast<unsigned>(tensors)));
    ++tensors;
  }
  c.in_counts = {1, 1, tensors};
  c.relative = 0;
  c.absolute = 0;
}

}  // namespace coracle::internal::test
