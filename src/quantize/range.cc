// SPDX-License-Identifier: Apache-2.0
#include "quantize/range.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"

namespace coracle::internal::quantize {
namespace {

struct NamedMethod {
  const char* name;
  RangeMethod method;
};
constexpr NamedMethod kMethods[] = {{"minmax", RangeMethod::kMinMax},
                                    {"percentile", RangeMethod::kPercentile},
                                    {"mse", RangeMethod::kMse},
                                    {"kl", RangeMethod::kKl}};

}  // namespace

const char* text_of(RangeMethod method) {
  return std::find_if(std::begin(kMethods), std::end(kMethods),
                      [&](const NamedMethod& m) { return m.method == method; })
      ->name;
}

RangeMethod range_method(const std::string& text) {
  for (const NamedMethod& m : kMethods) {
    if (text == m.name) return m.method;
  }
  fail(ErrorCode::kInvalidArgument, "--method ", text, ": expected auto, minmax, percentile, mse or kl");
}

void ValueCounts::add_to_largest(const float* values, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const double a = std::fabs(values[i]);
    if (!std::isfinite(a)) {
      ++unfit_;
    } else {
      largest_ = std::max(largest_, a);
    }
  }
}

void ValueCounts::write(StateWriter& to) const {
  to.number(largest_);
  to.number<uint64_t>(unfit_);
  to.number(zeros_);
  for (uint64_t count : bins_) to.number(count);
}

void ValueCounts::read(StateReader& from) {
  largest_ = from.number<double>();
  unfit_ = from.number<uint64_t>();
  zeros_ = from.number<uint64_t>();
  for (uint64_t& count : bins_) count = from.number<uint64_t>();
}

void ValueCounts::add_to_bins(const float* values, size_t count) {
  if (largest_ == 0) return;
  const double per_value = kBins / largest_;
  for (size_t i = 0; i < count; ++i) {
    const double a = std::fabs(values[i]);
    if (a == 0) {
      ++zeros_;
    } else if (std::isfinite(a)) {
      ++bins_[std::min(static_cast<size_t>(a * per_value), kBins - 1)];
    }
  }
}

double ValueCounts::range(RangeMethod method, double percent) const {
  switch (method) {
    case RangeMethod::kMinMax: return largest_;
    case RangeMethod::kPercentile: return percentile(percent);
    case RangeMethod::kMse: return least_squares();
    case RangeMethod::kKl: return least_divergence();
  }
  return largest_;
}

double ValueCounts::square_of_errors(double range) const {
  const double step = range / kMostSteps;
  double sum = 0;
  for (size_t i = 0; i < kBins; ++i) {
    if (bins_[i] == 0) continue;
    const double x = centre(i);
    const double error = x - std::min(std::nearbyint(x / step), double{kMostSteps}) * step;
    // Values of a bin narrower than a step lie anywhere in it: rounding them errs by step^2 / 12 on average.
    const double square = x <= range ? std::max(error * error, step * step / 12) : error * error;
    sum += static_cast<double>(bins_[i]) * square;
  }
  return sum;
}

std::vector<uint64_t> ValueCounts::histogram(size_t parts) const {
  std::vector<uint64_t> sums(parts);
  for (size_t i = 0; i < kBins; ++i) sums[i * parts / kBins] += bins_[i];
  return sums;
}

double ValueCounts::noise_ratio(double range) const {
  if (range <= 0) return std::numeric_limits<double>::infinity();
  double signal = 0;
  for (size_t i = 0; i < kBins; ++i) signal += static_cast<double>(bins_[i]) * centre(i) * centre(i);
  return 10 * std::log10(signal / square_of_errors(range));
}

double ValueCounts::percentile(double percent) const {
  uint64_t all = zeros_;
  for (uint64_t n : bins_) all += n;
  const double wanted = static_cast<double>(all) * percent / 100;
  auto below = static_cast<double>(zeros_);
  for (size_t i = 0; i < kBins; ++i) {
    below += static_cast<double>(bins_[i]);
    if (bins_[i] != 0 && below >= wanted) return largest_ * static_cast<double>(i + 1) / kBins;
  }
  return largest_;
}

double ValueCounts::least_squares() const {
  double best = largest_;
  double least = square_of_errors(largest_);
  for (size_t i = kBins / 32; i < kBins; i += 8) {
    const double range = largest_ * static_cast<double>(i) / kBins;
    if (const double error = square_of_errors(range); error < least) {
      least = error;
      best = range;
    }
  }
  return best;
}

/// As S. Migacz, "8-bit Inference with TensorRT", GTC 2017: the first i bins, with all that lies above in the last of
/// them, against the same bins merged into 128 and spread evenly again over those that hold anything.
double ValueCounts::least_divergence() const {
  constexpr size_t kLevels = 128;
  double best = largest_;
  double least = std::numeric_limits<double>::infinity();
  double all = 0;
  for (uint64_t n : bins_) all += static_cast<double>(n);
  double below = 0;
  for (size_t i = 0; i < kLevels; ++i) below += static_cast<double>(bins_[i]);
  for (size_t i = kLevels; i <= kBins; ++i) {
    if (i > kLevels) below += static_cast<double>(bins_[i - 1]);
    if (below == 0) continue;
    double divergence = 0;
    for (size_t level = 0; level < kLevels; ++level) {
      const size_t begin = level * i / kLevels;
      const size_t end = (level + 1) * i / kLevels;
      double sum = 0;
      size_t held = 0;
      for (size_t b = begin; b < end; ++b) {
        sum += static_cast<double>(bins_[b]);
        held += bins_[b] != 0 ? 1 : 0;
      }
      for (size_t b = begin; b < end; ++b) {
        const double p = (static_cast<double>(bins_[b]) + (b + 1 == i ? all - below : 0)) / all;
        if (p == 0) continue;
        // A last bin that holds nothing but what was clipped is a bin the merged ones know nothing of.
        const double q = bins_[b] == 0 ? 1e-6 : sum / static_cast<double>(held) / below;
        divergence += p * std::log(p / q);
      }
    }
    if (divergence < least) {
      least = divergence;
      best = largest_ * static_cast<double>(i) / kBins;
    }
  }
  return best;
}

}  // namespace coracle::internal::quantize
