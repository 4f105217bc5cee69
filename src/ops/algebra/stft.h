// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "ops/algebra/fourier.h"

namespace coracle::internal {

/// Fourier transforms of the windowed pieces of signals [..., n], hop_length apart: [..., frequencies, frames].
struct Stft {
  static constexpr const char* kName = "stft";
  static constexpr const char* kLegacy[] = {"stft"};
  static constexpr Port kInputs[] = {in("x", "X"), in("window", "Window")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  int64_t n_fft = 1;
  int64_t hop_length = 1;
  bool normalized = false;
  bool onesided = true;
  void attributes(AttributeVisitor& visit) {
    visit("n_fft", n_fft);
    visit("hop_length", hop_length);
    visit("normalized", normalized);
    visit("onesided", onesided);
  }
  friend bool operator==(const Stft&, const Stft&) = default;
};

inline void infer(const Stft& op, InferArgs& a) {
  require(op.n_fft > 0 && op.hop_length > 0, "n_fft is ", op.n_fft, ", hop_length ", op.hop_length);
  require(is_float(a.dtype(0)), "x is ", a.dtype(0), ", expected a real type");
  const Shape& window = a.shape(1);
  require(!window.known() || window.count() == op.n_fft, "the window has shape ", window, ", expected ", op.n_fft,
          " elements");
  Shape y = a.shape(0);
  if (y.rank_known()) {
    require(y.rank() >= 1, "x is a scalar, expected a signal");
    const int64_t n = y.back();
    require(n < 0 || n >= op.n_fft, "n_fft is ", op.n_fft, ", but the signal has ", n, " elements");
    y[y.rank() - 1] = op.onesided ? op.n_fft / 2 + 1 : op.n_fft;
    y.push_back(n < 0 ? Shape::kUnknown : (n - op.n_fft) / op.hop_length + 1);
  }
  a.set(0, complex_type(a.dtype(0)), y);
}

inline void reference(const Stft& op, ReferenceArgs& a) {
  const Shape& y = a.out(0).shape();
  const int64_t n = a.shape(0).back();
  const int64_t frames = y.back();
  const int64_t frequencies = y[y.rank() - 2];
  const ComplexVector signal = complex_elements(a.context(), a.in(0));
  const ComplexVector window = complex_elements(a.context(), a.in(1));
  ComplexVector result(static_cast<size_t>(y.count()), a.context());
  ComplexVector piece(static_cast<size_t>(op.n_fft), a.context());
  for (int64_t r = 0, rows = a.shape(0).count(0, a.shape(0).rank() - 1); r < rows; ++r) {
    for (int64_t f = 0; f < frames; ++f) {
      for (int64_t k = 0; k < op.n_fft; ++k) {
        piece[static_cast<size_t>(k)] =
            signal[static_cast<size_t>(r * n + f * op.hop_length + k)] * window[static_cast<size_t>(k)];
      }
      fourier_transform(a.context(), piece, Shape{op.n_fft}, 0, true);
      for (int64_t k = 0; k < frequencies; ++k) {
        result[static_cast<size_t>((r * frequencies + k) * frames + f)] = piece[static_cast<size_t>(k)];
      }
    }
  }
  const FourierNorm norm = op.normalized ? FourierNorm::kOrtho : FourierNorm::kBackward;
  write_elements(a.context(), result, fourier_scale(norm, true, op.n_fft), a.out(0));
}

inline constexpr const OpSchema* stft_op = &kOpSchema<Stft>;

}  // namespace coracle::internal
