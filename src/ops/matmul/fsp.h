// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/buffer.h"
#include "base/long_loop.h"
#include "graph/op.h"

namespace coracle::internal {

/// Flow of solution procedure: out[n, i, j] is the mean over all pixels of channel i of x [N, C, H, W] times channel j
/// of y [N, D, H, W].
struct Fsp {
  static constexpr const char* kName = "fsp";
  static constexpr const char* kLegacy[] = {"fsp"};
  static constexpr Port kInputs[] = {in("x", "X"), in("y", "Y")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  friend bool operator==(const Fsp&, const Fsp&) = default;
};

inline void infer(const Fsp&, InferArgs& a) {
  const Shape& x = a.shape(0);
  const Shape& y = a.shape(1);
  require(is_float(a.dtype(0)) && a.dtype(0) == a.dtype(1), "x is ", a.dtype(0), " and y ", a.dtype(1),
          ", expected the same real type");
  Shape result = Shape::filled(3, Shape::kUnknown);
  for (int i : {0, 1}) {
    const Shape& s = a.shape(i);
    require(!s.rank_known() || s.rank() == 4, i == 0 ? "x" : "y", " is ", s, ", expected [N, C, H, W]");
    if (!s.rank_known()) continue;
    if (s[0] >= 0) result[0] = s[0];
    result[1 + i] = s[1];
  }
  if (x.rank_known() && y.rank_known()) {
    for (int d : {0, 2, 3}) require(x[d] < 0 || y[d] < 0 || x[d] == y[d], "x is ", x, " and y ", y);
  }
  a.set(0, a.dtype(0), result);
}

inline void reference(const Fsp&, ReferenceArgs& a) {
  const Shape& x = a.shape(0);
  const int64_t others = a.shape(1)[1];
  const int64_t pixels = x[2] * x[3];
  const Buffer<double> of_x = a.doubles(0);
  const Buffer<double> of_y = a.doubles(1);
  Buffer<double> means(a.context());
  LoopCheck check(a.context());
  for (int64_t plane = 0; plane < x[0] * x[1]; ++plane) {
    for (int64_t j = 0; j < others; ++j) {
      const double* p = of_x.data() + plane * pixels;
      const double* q = of_y.data() + (plane / x[1] * others + j) * pixels;
      double sum = 0;
      for (int64_t k = 0; k < pixels; ++k) sum += p[k] * q[k];
      check.step(1 + pixels);
      means.push_back(sum / static_cast<double>(pixels));
    }
  }
  a.out(0).assign(a.context(), std::span<const double>(means));
}

inline int64_t flops(const Fsp&, const NodeFacts& f) {
  return 2 * f.out().shape.count() * f.shape(0)[2] * f.shape(0)[3];
}

inline constexpr const OpSchema* fsp_op = &kOpSchema<Fsp>;

}  // namespace coracle::internal
