// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "base/buffer.h"
#include "graph/op.h"

namespace coracle::internal {

/// How the losses of single elements become one.
enum class LossReduction : uint8_t { kNone, kMean, kSum, kBatchMean };

inline std::span<const std::string_view> names_of(LossReduction) {
  static constexpr std::string_view kNames[] = {"none", "mean", "sum", "batchmean"};
  return kNames;
}

/// Checks prediction and label (ports 0 and 1): real, of one type and shape.
inline void check_loss_operands(const InferArgs& a) {
  require(is_float(a.dtype(0)) && a.dtype(0) == a.dtype(1), "the prediction is ", a.dtype(0), " and the label ",
          a.dtype(1), ", expected one real type");
  require(compatible(a.shape(0), a.shape(1)), "the prediction is ", a.shape(0), " and the label ", a.shape(1));
}

/// out[i] = f(prediction[i], label[i]) in double.
template <class F>
void reference_loss(ReferenceArgs& a, int port, const F& f) {
  const Buffer<double> label = a.doubles(1);
  Buffer<double> x = a.doubles(0);
  for (size_t i = 0; i < x.size(); ++i) x[i] = f(x[i], label[i]);
  a.out(port).assign(a.context(), std::span<const double>(x));
}

}  // namespace coracle::internal
