// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "base/long_loop.h"
#include "graph/op.h"

namespace coracle::internal {

/// y = (x - mean) / sqrt(variance + epsilon) * scale + bias, with mean and (biased) variance over the dimensions from
/// begin_norm_axis on; scale and bias have one element for each normalised position.
struct LayerNorm {
  static constexpr const char* kName = "layer_norm";
  static constexpr const char* kLegacy[] = {"layer_norm"};
  static constexpr Port kInputs[] = {in("x", "X"), optional_weight_in("scale", "Scale"),
                                     optional_weight_in("bias", "Bias")};
  static constexpr Port kOutputs[] = {out("out", "Y"), optional_out("mean", "Mean"),
                                      optional_out("variance", "Variance")};
  static constexpr LodRule kLod = LodRule::kFirst;
  double epsilon = 1e-5;
  int begin_norm_axis = 1;
  void attributes(AttributeVisitor& visit) {
    visit("epsilon", epsilon);
    visit("begin_norm_axis", begin_norm_axis);
  }
  friend bool operator==(const LayerNorm&, const LayerNorm&) = default;
};

inline void infer(const LayerNorm& op, InferArgs& a) {
  const Shape& x = a.shape(0);
  a.set(0, a.dtype(0), x);
  if (!x.rank_known()) return;
  const int axis = normalize_axis(op.begin_norm_axis, x.rank(), "begin_norm_axis");
  for (int port : {1, 2}) {
    if (!x.known() || !a.has(port) || !a.shape(port).known()) continue;
    require(a.shape(port).count() == x.count(axis, x.rank()), port == 1 ? "scale" : "bias", " has ",
            a.shape(port).count(), " elements, expected ", x.count(axis, x.rank()), " for x ", x, " from axis ", axis);
  }
  const Shape rows(std::span(x.begin(), static_cast<size_t>(axis)));
  a.set(1, DType::kFloat32, rows);
  a.set(2, DType::kFloat32, rows);
}

inline void reference(const LayerNorm& op, ReferenceArgs& a) {
  const Tensor& x = a.in(0);
  const int axis = normalize_axis(op.begin_norm_axis, x.shape().rank());
  const int64_t rows = x.shape().count(0, axis);
  const int64_t n = x.shape().count(axis, x.shape().rank());
  visit_float(x.dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    LoopCheck check(a.context());
    for (int64_t r = 0; r < rows; ++r) {
      check.step(n);
      const T* from = x.data<T>() + r * n;
      T* to = a.out(0).data<T>() + r * n;
      double sum = 0;
      for (int64_t i = 0; i < n; ++i) sum += static_cast<double>(from[i]);
      const double mean = sum / static_cast<double>(n);
      double squares = 0;
      for (int64_t i = 0; i < n; ++i) {
        const double d = static_cast<double>(from[i]) - mean;
        squares += d * d;
      }
      const double variance = squares / static_cast<double>(n);
      const double inverse = 1.0 / std::sqrt(variance + op.epsilon);
      for (int64_t i = 0; i < n; ++i) {
        const double scale = a.has(1) ? a.in(1).number(i) : 1.0;
        const double bias = a.has(2) ? a.in(2).number(i) : 0.0;
        to[i] = static_cast<T>((static_cast<double>(from[i]) - mean) * inverse * scale + bias);
      }
      if (a.wants(1)) a.out(1).data<float>()[r] = static_cast<float>(mean);
      if (a.wants(2)) a.out(2).data<float>()[r] = static_cast<float>(variance);
    }
  });
}

inline constexpr const OpSchema* layer_norm_op = &kOpSchema<LayerNorm>;

}  // namespace coracle::internal
