// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "client/tensor.h"

namespace coracle::cli {

/// Real numbers a and b agree where |a - b| <= absolute + relative * |b|, as numpy.isclose says; integers and
/// truth values where they are the same. A NaN agrees with a NaN, an infinity with the same infinity.
struct Tolerance {
  double relative = 1e-3;
  double absolute = 1e-4;
};

/// How far two tensors are apart.
struct Difference {
  std::string mismatch;  ///< why elements cannot be compared: the shapes differ; empty if they were
  size_t elements = 0;
  size_t beyond = 0;   ///< elements that do not agree
  size_t unequal = 0;  ///< elements that are not the same number
  size_t nan_a = 0;    ///< elements of a that are no number
  size_t nan_b = 0;
  double max_absolute = 0;   ///< largest |a - b|; NaN where only one is a number, infinity where only one is finite
  double max_relative = 0;   ///< largest |a - b| / max(|a|, |b|)
  double mean_absolute = 0;  ///< mean |a - b| of elements that are finite in both
  std::vector<int64_t> at;   ///< where max_absolute is, the first NaN before all; for complex numbers with one more
                             ///< dimension, 0 for real and 1 for imaginary parts
  double a = 0;              ///< the numbers there
  double b = 0;

  bool agrees() const { return mismatch.empty() && beyond == 0; }
};

/// Element types may differ: numbers are compared. Integers have to be equal if both tensors hold such.
Difference difference(const client::Tensor& a, const client::Tensor& b, const Tolerance& tolerance);

/// "max abs 1.2e-07, max rel 3e-06, mean abs 2e-08, 0 of 1000 beyond"
std::string summary(const Difference& d);
/// "at [0, 3]: 0.25 and 0.5"
std::string place(const Difference& d);

}  // namespace coracle::cli
