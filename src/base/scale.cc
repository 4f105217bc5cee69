// SPDX-License-Identifier: Apache-2.0
#include "base/scale.h"

#include <cstring>

namespace coracle::internal {
namespace {

// Here and not beside those who call it, since this folder is compiled for speed: what is copied first stays in a
// cache.
constexpr int64_t kScaledTogether = 1024;

float scaled(float value, double by) { return static_cast<float>(static_cast<double>(value) * by); }

template <class F>
void in_parts(const float* from, int64_t count, float* to, const F& scale) {
  for (int64_t i = 0; i < count; i += kScaledTogether) {
    const int64_t part = count - i < kScaledTogether ? count - i : kScaledTogether;
    if (from != to) std::memcpy(to + i, from + i, static_cast<size_t>(part) * sizeof(float));
    scale(to + i, i, part);
  }
}

}  // namespace

void scale_floats(const float* from, double by, int64_t count, float* to) {
  in_parts(from, count, to, [by](float* part, int64_t /*first*/, int64_t n) {
    for (int64_t i = 0; i < n; ++i) part[i] = scaled(part[i], by);
  });
}

void scale_floats(const float* from, const double* by, int64_t count, float* to) {
  in_parts(from, count, to, [by](float* part, int64_t first, int64_t n) {
    for (int64_t i = 0; i < n; ++i) part[i] = scaled(part[i], by[first + i]);
  });
}

}  // namespace coracle::internal
