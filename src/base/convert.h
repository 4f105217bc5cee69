// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

/// Conversions of numbers that are defined for every number: elements and arguments come from files.
namespace coracle::internal {

/// x as an element of type To. Real numbers are truncated as the machine does it: through a conversion to int32 (int64
/// for an int64) that gives the smallest number for NaN and for all that does not fit; the low bits of that are kept.
template <class To, class From>
To convert(From x) {
  if constexpr (std::is_same_v<To, bool>) {
    return static_cast<double>(x) != 0.0;
  } else if constexpr (std::is_integral_v<To> && !std::is_integral_v<From>) {
    using Whole = std::conditional_t<sizeof(To) == 8, int64_t, int32_t>;
    constexpr auto kSmallest = static_cast<double>(std::numeric_limits<Whole>::min());
    const double v = std::trunc(static_cast<double>(x));
    const bool fits = v >= kSmallest && v < -kSmallest;
    return static_cast<To>(fits ? static_cast<Whole>(v) : std::numeric_limits<Whole>::min());
  } else {
    return static_cast<To>(x);
  }
}

/// A position computed in real numbers: truncated, and so bounded that sums of a few do not overflow. 0 for NaN.
inline int64_t position(double x) {
  constexpr double kBound = 0x1p53;
  if (std::isnan(x)) return 0;
  return static_cast<int64_t>(x < -kBound ? -kBound : (x > kBound ? kBound : x));
}

}  // namespace coracle::internal
