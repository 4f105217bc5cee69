// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/algebra/fourier.h"

namespace coracle::internal {

/// Fourier transforms of complex numbers along axes.
struct FftC2c {
  static constexpr const char* kName = "fft_c2c";
  static constexpr const char* kLegacy[] = {"fft_c2c"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  Ints axes;
  FourierNorm normalization = FourierNorm::kBackward;
  bool forward = true;
  void attributes(AttributeVisitor& visit) {
    visit("axes", axes);
    visit("normalization", normalization);
    visit("forward", forward);
  }
  friend bool operator==(const FftC2c&, const FftC2c&) = default;
};

inline void infer(const FftC2c& op, InferArgs& a) {
  require(is_complex(a.dtype(0)), "x is ", a.dtype(0), ", expected a complex type");
  if (a.shape(0).rank_known()) fourier_axes(op.axes, a.shape(0));
  a.set(0, a.dtype(0), a.shape(0));
}

inline void reference(const FftC2c& op, ReferenceArgs& a) {
  ComplexVector x = complex_elements(a.context(), a.in(0));
  int64_t count = 1;
  for (int axis : fourier_axes(op.axes, a.shape(0))) {
    fourier_transform(a.context(), x, a.shape(0), axis, op.forward);
    count *= a.shape(0)[axis];
  }
  write_elements(a.context(), x, fourier_scale(op.normalization, op.forward, count), a.out(0));
}

inline constexpr const OpSchema* fft_c2c_op = &kOpSchema<FftC2c>;

}  // namespace coracle::internal
