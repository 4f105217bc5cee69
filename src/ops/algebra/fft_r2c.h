// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <utility>

#include "ops/algebra/fourier.h"
#include "ops/common/lines.h"

namespace coracle::internal {

/// Fourier transforms of real numbers along axes; onesided leaves out the second half of the last of them, which
/// mirrors the first.
struct FftR2c {
  static constexpr const char* kName = "fft_r2c";
  static constexpr const char* kLegacy[] = {"fft_r2c"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  Ints axes;
  FourierNorm normalization = FourierNorm::kBackward;
  bool forward = true;
  bool onesided = true;
  void attributes(AttributeVisitor& visit) {
    visit("axes", axes);
    visit("normalization", normalization);
    visit("forward", forward);
    visit("onesided", onesided);
  }
  friend bool operator==(const FftR2c&, const FftR2c&) = default;
};

inline void infer(const FftR2c& op, InferArgs& a) {
  require(is_float(a.dtype(0)), "x is ", a.dtype(0), ", expected a real type");
  Shape y = a.shape(0);
  if (y.rank_known()) {
    const int last = fourier_axes(op.axes, y).back();
    require(y[last] != 0, "x ", y, " has no element along axis ", last);
    if (op.onesided && y[last] >= 0) y[last] = y[last] / 2 + 1;
  }
  a.set(0, complex_type(a.dtype(0)), y);
}

/// What the transform of real numbers along an axis has and its computation may miss by rounding, zeros' signs
/// included: numbers without an imaginary part at 0 and n / 2, a second half that mirrors the first.
inline void mirror_halves(const RunContext& context, ComplexVector& x, const Lines& lines) {
  const int64_t n = lines.length;
  lines.each(context, [&](int64_t at) {
    const auto element = [&](int64_t k) -> std::complex<double>& {
      return x[static_cast<size_t>(at + k * lines.inner)];
    };
    element(0).imag(0);
    if (n % 2 == 0) element(n / 2).imag(0);
    for (int64_t k = n / 2 + 1; k < n; ++k) element(k) = std::conj(element(n - k));
  });
}

inline void reference(const FftR2c& op, ReferenceArgs& a) {
  const Shape& shape = a.shape(0);
  const Shape& y = a.out(0).shape();
  ComplexVector x = complex_elements(a.context(), a.in(0));
  const std::vector<int> axes = fourier_axes(op.axes, shape);
  fourier_transform(a.context(), x, shape, axes.back(), op.forward);
  mirror_halves(a.context(), x, Lines(shape, axes.back()));
  int64_t count = shape[axes.back()];
  for (size_t i = 0; i + 1 < axes.size(); ++i) {
    fourier_transform(a.context(), x, shape, axes[i], op.forward);
    count *= shape[axes[i]];
  }
  if (y[axes.back()] != shape[axes.back()]) {
    const Lines all(shape, axes.back());
    const Lines half(y, axes.back());
    ComplexVector kept(static_cast<size_t>(y.count()), a.context());
    for (int64_t o = 0; o < all.outer; ++o) {
      std::copy_n(x.begin() + o * all.length * all.inner, half.length * half.inner,
                  kept.begin() + o * half.length * half.inner);
    }
    x = std::move(kept);
  }
  write_elements(a.context(), x, fourier_scale(op.normalization, op.forward, count), a.out(0));
}

inline constexpr const OpSchema* fft_r2c_op = &kOpSchema<FftR2c>;

}  // namespace coracle::internal
