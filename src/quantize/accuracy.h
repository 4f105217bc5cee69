// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "coracle/coracle.h"

namespace coracle::internal::quantize {

/// A tensor of an answer, row-major.
struct Answer {
  coracle_dtype dtype = CORACLE_FLOAT32;
  std::span<const int64_t> dims;
  std::span<const std::byte> bytes;
};

/// What an error is relative to what was answered, of an output and a set of inputs.
enum class ErrorMetric : uint8_t {
  kRms,  ///< the root mean square of the differences by that of the values
  kMax,  ///< the largest difference by the largest magnitude
};
/// "rms", "max"
ErrorMetric error_metric(const std::string& text);

/// How near answers of a quantised model are to those of the original, for one output.
struct OutputAccuracy {
  std::string name;
  double signal = 0;        ///< sum of squares
  double noise = 0;         ///< sum of squares of the differences
  double max_absolute = 0;  ///< largest difference
  size_t decisions = 0;     ///< see `add`
  size_t changed = 0;       ///< decisions that differ
  size_t other_shapes = 0;  ///< answers of another shape, which count as one changed decision
  double rms_error = 0;  ///< of the worst answer (ErrorMetric); infinite for one of another shape and for NaN. Of ints
  double max_error = 0;  ///< both are the share of those that differ

  /// Adds an answer. Its decisions are which element is the largest: along dimension 1 of four dimensions, else along
  /// the last; where there is one alone, whether it is at least one half. Ints decide each for themselves.
  void add(const Answer& original, const Answer& quantized);

  double error(ErrorMetric metric) const { return metric == ErrorMetric::kMax ? max_error : rms_error; }
  /// Signal to noise in decibels; infinite without noise.
  double noise_ratio() const;
  /// Percent of the decisions that changed.
  double drop() const;
};

/// The least signal to noise of outputs, in decibels.
double worst_ratio(const std::vector<OutputAccuracy>& outputs);
/// The greatest error of outputs.
double worst_error(const std::vector<OutputAccuracy>& outputs, ErrorMetric metric);

/// As bytes of a State, and back.
std::string bytes_of(const std::vector<OutputAccuracy>& outputs);
std::vector<OutputAccuracy> read_accuracy(const std::string& bytes);

}  // namespace coracle::internal::quantize
