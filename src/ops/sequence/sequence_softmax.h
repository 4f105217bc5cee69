// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "base/buffer.h"
#include "ops/sequence/sequences.h"

namespace coracle::internal {

/// Softmax within each sequence; x has one number per row.
struct SequenceSoftmax {
  static constexpr const char* kName = "sequence_softmax";
  static constexpr const char* kLegacy[] = {"sequence_softmax"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  friend bool operator==(const SequenceSoftmax&, const SequenceSoftmax&) = default;
};

inline void infer(const SequenceSoftmax&, InferArgs& a) {
  const Shape& x = a.shape(0);
  require(is_float(a.dtype(0)), "x is ", a.dtype(0), ", expected a real type");
  if (x.known()) require(x.rank() > 0 && row_count(x) == 1, "x is ", x, ", expected one number per row");
  a.set(0, a.dtype(0), x);
}

inline void reference(const SequenceSoftmax&, ReferenceArgs& a) {
  const std::vector<int64_t> offsets = offsets_of(a.in(0));
  const Buffer<double> x = a.doubles(0);
  Buffer<double> y(x.size(), a.context());
  for (size_t s = 0; s + 1 < offsets.size(); ++s) {
    const auto begin = static_cast<size_t>(offsets[s]);
    const auto end = static_cast<size_t>(offsets[s + 1]);
    if (begin == end) continue;
    const double largest = *std::max_element(x.begin() + offsets[s], x.begin() + offsets[s + 1]);
    double sum = 0;
    for (size_t i = begin; i < end; ++i) sum += y[i] = std::exp(x[i] - largest);
    for (size_t i = begin; i < end; ++i) y[i] /= sum;
  }
  a.out(0).assign(a.context(), std::span<const double>(y));
}

inline constexpr const OpSchema* sequence_softmax_op = &kOpSchema<SequenceSoftmax>;

}  // namespace coracle::internal
