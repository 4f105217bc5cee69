// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/long_loop.h"
#include "graph/op.h"

namespace coracle::internal {

/// Refuses a per-channel operand that cannot have one element for each of `channels` (either may be unknown).
inline void check_channels(const InferArgs& a, int port, int64_t channels, std::string_view name) {
  if (!a.has(port) || !a.shape(port).known() || channels < 0) return;
  require(a.shape(port).count() == channels, name, " has ", a.shape(port).count(), " elements, expected ", channels);
}

/// The elements of an optional operand as double; `missing` for all `count` where it is absent.
inline Floats numbers_or(const ReferenceArgs& a, int port, int64_t count, double missing) {
  Floats out(static_cast<size_t>(count), missing);
  if (a.has(port)) {
    LoopCheck check(a.context());
    for (int64_t i = 0; i < count; ++i) {
      check.step();
      out[static_cast<size_t>(i)] = a.in(port).number(i);
    }
  }
  return out;
}

struct Moments {
  double mean = 0;
  double variance = 0;  ///< divided by the number of elements
};

template <class T>
Moments moments_of(const T* x, int64_t n) {
  Moments m;
  for (int64_t i = 0; i < n; ++i) m.mean += static_cast<double>(x[i]);
  m.mean /= static_cast<double>(n);
  for (int64_t i = 0; i < n; ++i) {
    const double d = static_cast<double>(x[i]) - m.mean;
    m.variance += d * d;
  }
  m.variance /= static_cast<double>(n);
  return m;
}

}  // namespace coracle::internal
