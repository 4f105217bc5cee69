// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <utility>

#include "ops/algebra/fourier.h"
#include "ops/common/lines.h"

namespace coracle::internal {

/// Fourier transforms with real results of complex numbers, of whose last axis only the first half is given;
/// last_dim_size is its size in the result (0: twice one less).
struct FftC2r {
  static constexpr const char* kName = "fft_c2r";
  static constexpr const char* kLegacy[] = {"fft_c2r"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  Ints axes;
  FourierNorm normalization = FourierNorm::kBackward;
  bool forward = true;
  int64_t last_dim_size = 0;
  void attributes(AttributeVisitor& visit) {
    visit("axes", axes);
    visit("normalization", normalization);
    visit("forward", forward);
    visit("last_dim_size", last_dim_size);
  }
  friend bool operator==(const FftC2r&, const FftC2r&) = default;
};

inline void infer(const FftC2r& op, InferArgs& a) {
  require(is_complex(a.dtype(0)), "x is ", a.dtype(0), ", expected a complex type");
  Shape y = a.shape(0);
  if (y.rank_known()) {
    const int last = fourier_axes(op.axes, y).back();
    require(op.last_dim_size >= 0, "last_dim_size is ", op.last_dim_size);
    if (op.last_dim_size > 0) {
      y[last] = op.last_dim_size;
    } else if (y[last] >= 0) {
      require(y[last] > 1, "x ", y, " is too small for axis ", last);
      y[last] = 2 * (y[last] - 1);
    }
  }
  a.set(0, part_type(a.dtype(0)), y);
}

inline void reference(const FftC2r& op, ReferenceArgs& a) {
  const Shape& shape = a.shape(0);
  const Shape& y = a.out(0).shape();
  const std::vector<int> axes = fourier_axes(op.axes, shape);
  const int last = axes.back();
  ComplexVector x = complex_elements(a.context(), a.in(0));
  int64_t count = y[last];
  for (size_t i = 0; i + 1 < axes.size(); ++i) {
    fourier_transform(a.context(), x, shape, axes[i], op.forward);
    count *= shape[axes[i]];
  }
  // The missing half: element n - k is the conjugate of element k.
  const Lines given(shape, last);
  const Lines full(y, last);
  ComplexVector all(static_cast<size_t>(y.count()), a.context());
  for (int64_t o = 0; o < full.outer; ++o) {
    for (int64_t k = 0; k < full.length; ++k) {
      const int64_t mirror = full.length - k;
      for (int64_t i = 0; i < full.inner; ++i) {
        const auto at = static_cast<size_t>((o * full.length + k) * full.inner + i);
        if (k <= full.length / 2) {
          if (k < given.length) all[at] = x[static_cast<size_t>((o * given.length + k) * given.inner + i)];
        } else if (mirror < given.length) {
          all[at] = std::conj(x[static_cast<size_t>((o * given.length + mirror) * given.inner + i)]);
        }
      }
    }
  }
  fourier_transform(a.context(), all, y, last, op.forward);
  write_elements(a.context(), all, fourier_scale(op.normalization, op.forward, count), a.out(0));
}

inline constexpr const OpSchema* fft_c2r_op = &kOpSchema<FftC2r>;

}  // namespace coracle::internal
