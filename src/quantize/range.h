// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "quantize/state_bytes.h"

/// How far the values of a tensor reach that are told apart as integers of 8 bits; larger ones are clipped.
namespace coracle::internal::quantize {

/// Ints are -127 to 127 steps of range / 127, ties to even.
inline constexpr int kMostSteps = 127;
/// Of weights with which sums of two products with numbers of 8 bits fit in 16: 2 * 64 * 255 < 2^15.
inline constexpr int kReducedSteps = 64;

enum class RangeMethod {
  kMinMax,      ///< the largest absolute value
  kPercentile,  ///< below which all but a share of the absolute values are
  kMse,         ///< the least mean square of the differences by rounding and clipping
  kKl,          ///< the least divergence (Kullback and Leibler) of the distribution of rounded values from the true one
};

inline constexpr RangeMethod kRangeMethods[] = {RangeMethod::kMinMax, RangeMethod::kPercentile, RangeMethod::kMse,
                                                RangeMethod::kKl};

/// "minmax", "percentile", "mse", "kl"
const char* text_of(RangeMethod method);
RangeMethod range_method(const std::string& text);

/// Absolute values of a tensor over all runs: first the largest, then how many fall into each part of its range.
class ValueCounts {
 public:
  static constexpr size_t kBins = 2048;

  void add_to_largest(const float* values, size_t count);
  void add_to_bins(const float* values, size_t count);

  double largest() const { return largest_; }
  /// Values that are no finite numbers.
  size_t unfit() const { return unfit_; }

  /// Greatest value that is not clipped; 0 where all values are 0. `percent`: for kPercentile.
  double range(RangeMethod method, double percent) const;
  /// How many values fall into each of `parts` equal parts of the range up to the largest; zeros in none.
  std::vector<uint64_t> histogram(size_t parts) const;
  /// Signal to noise in decibels of rounding with that range.
  double noise_ratio(double range) const;

  void write(StateWriter& to) const;
  void read(StateReader& from);

 private:
  double centre(size_t bin) const { return (static_cast<double>(bin) + 0.5) * largest_ / kBins; }
  double square_of_errors(double range) const;
  double percentile(double percent) const;
  double least_squares() const;
  double least_divergence() const;

  double largest_ = 0;
  size_t unfit_ = 0;
  uint64_t zeros_ = 0;  ///< of them all bins know nothing
  std::array<uint64_t, kBins> bins_{};
};

}  // namespace coracle::internal::quantize
