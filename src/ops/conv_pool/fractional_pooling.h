// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/buffer.h"
#include "ops/creation/random.h"

namespace coracle::internal {

/// Attributes and ports of fractional pooling; base of the operators' structs.
struct FractionalPooling {
  static constexpr Port kInputs[] = {in("x", "x")};
  static constexpr Port kOutputs[] = {out("out", "out"), optional_out("mask", "mask")};
  Ints output_size;
  Ints kernel_size;     ///< zeros: the windows follow from the sizes
  double random_u = 0;  ///< moves the windows; 0: drawn
  bool return_mask = false;
  void attributes(AttributeVisitor& visit) {
    visit("output_size", output_size);
    visit("kernel_size", kernel_size);
    visit("random_u", random_u);
    visit("return_mask", return_mask);
  }
  friend bool operator==(const FractionalPooling&, const FractionalPooling&) = default;
};

inline void infer_fractional_pooling(const FractionalPooling& op, InferArgs& a, int spatial) {
  Shape y = a.shape(0);
  const auto dims = static_cast<size_t>(spatial);
  require(is_float(a.dtype(0)), "x is ", a.dtype(0), ", expected a real type");
  require(op.output_size.size() == dims, "output_size has ", op.output_size.size(), " numbers, expected ", spatial);
  require(op.kernel_size.empty() || op.kernel_size.size() == dims, "kernel_size has ", op.kernel_size.size(),
          " numbers, expected ", spatial);
  require(op.random_u >= 0 && op.random_u < 1, "random_u is ", op.random_u, ", expected 0 to 1");
  if (y.rank_known()) {
    require(y.rank() == spatial + 2, "x is ", y, ", expected ", spatial + 2, " dimensions");
    for (size_t d = 0; d < dims; ++d) {
      const int64_t size = op.output_size[d];
      const int64_t kernel = op.kernel_size.empty() ? 0 : op.kernel_size[d];
      int64_t& dim = y[static_cast<int>(d) + 2];
      require(size > 0 && kernel >= 0 && (dim < 0 || (size <= dim && kernel <= dim)), "output_size is ", size,
              " and kernel_size ", kernel, " for x ", a.shape(0));
      dim = size;
    }
  }
  a.set(0, a.dtype(0), y);
  a.set(1, DType::kInt32, y);
}

/// [first, last) of each window along one dimension, in float as the borders hang on its rounding.
inline std::vector<std::pair<int64_t, int64_t>> fractional_windows(int64_t in, int64_t out, int64_t kernel, float u) {
  const auto steps = static_cast<float>(out - (kernel > 0 ? 1 : 0));
  const float alpha = static_cast<float>(in - kernel) / steps;
  if (kernel <= 0) {
    const auto base = static_cast<float>(in / out);  // NOLINT(bugprone-integer-division): Paddle's
    const float limit =
        std::min((base + 2) / alpha - 1, (static_cast<float>(in + 1) - base) / alpha - static_cast<float>(out - 1));
    u *= limit;
  }
  std::vector<std::pair<int64_t, int64_t>> windows;
  const auto shift = static_cast<int64_t>(u * alpha);
  for (int64_t i = 0; i < out; ++i) {
    const auto place = [&](int64_t k) {
      const float at = (static_cast<float>(k) + u) * alpha;
      return std::isfinite(at) ? static_cast<int64_t>(at) - shift : int64_t{0};
    };
    const int64_t first = std::clamp<int64_t>(place(i), 0, in - 1);
    const int64_t last = kernel > 0 ? place(i) + kernel : place(i + 1);
    windows.emplace_back(first, std::clamp<int64_t>(last, first + 1, in));
  }
  return windows;
}

inline void reference_fractional_pooling(const FractionalPooling& op, ReferenceArgs& a, int spatial) {
  const Shape& s = a.shape(0);
  const auto u = static_cast<float>(op.random_u == 0 ? RandomStream(0).uniform() : op.random_u);
  std::vector<std::pair<int64_t, int64_t>> windows[3];
  int64_t size[3] = {1, 1, 1};
  for (int d = 0; d < 3; ++d) {
    const int own = d - (3 - spatial);
    if (own < 0) {
      windows[d].emplace_back(0, 1);
      continue;
    }
    size[d] = s[own + 2];
    if (size[d] == 0) return;
    const auto k = static_cast<size_t>(own);
    windows[d] = fractional_windows(size[d], op.output_size[k], op.kernel_size.empty() ? 0 : op.kernel_size[k], u);
  }
  const Buffer<double> x = a.doubles(0);
  Buffer<double> y(a.context());
  std::vector<int64_t> positions;
  for (int64_t c = 0; c < s[0] * s[1]; ++c) {
    const double* channel = x.data() + c * size[0] * size[1] * size[2];
    for (const auto& [z0, z1] : windows[0]) {
      for (const auto& [y0, y1] : windows[1]) {
        for (const auto& [x0, x1] : windows[2]) {
          int64_t best = (z0 * size[1] + y0) * size[2] + x0;
          for (int64_t i = z0; i < z1; ++i) {
            for (int64_t j = y0; j < y1; ++j) {
              for (int64_t k = x0; k < x1; ++k) {
                const int64_t at = (i * size[1] + j) * size[2] + k;
                if (channel[at] > channel[best]) best = at;
              }
            }
          }
          y.push_back(channel[best]);
          positions.push_back(best);
        }
      }
    }
  }
  a.out(0).assign(a.context(), std::span<const double>(y));
  if (a.wants(1)) a.out(1).assign(a.context(), std::span<const int64_t>(positions));
}

}  // namespace coracle::internal
