// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "quantize/layers.h"
#include "quantize/range.h"

namespace coracle::internal::quantize {

/// What runs showed of a value.
struct Activation {
  ValueCounts counts;
  std::map<int, std::vector<double>> sums;     ///< by a dimension: sum of each of its elements
  std::map<int, double> numbers;               ///< how many numbers each of these sums is of
  std::map<int, std::vector<double>> squares;  ///< as `sums`, of their squares
  std::map<int, std::vector<float>> largest;   ///< absolute value of each element

  /// Mean of each element of a dimension; nothing where it was not summed or the shape changed there.
  std::vector<double> means(int dimension) const;
};

using Activations = std::map<WrittenValue, Activation>;

/// What elements of a dimension, -1 the last, of values are divided by.
using OperandFactors = std::map<WrittenValue, std::pair<int, std::vector<float>>>;

/// Runs of the model as it is, which whoever quantises it makes.
class Observations {
 public:
  virtual ~Observations() = default;
  /// The operands of `layers` in runs of all inputs; values that `factors` names divided by these. Those that no run
  /// computed are left out.
  virtual Activations observe(const std::vector<Layer>& layers, const OperandFactors& factors) const = 0;
};

}  // namespace coracle::internal::quantize
