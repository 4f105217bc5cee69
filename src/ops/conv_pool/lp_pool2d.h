// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/conv_pool/pooling.h"

namespace coracle::internal {

/// (sum of x^norm_type)^(1 / norm_type) over windows.
struct LpPool2d : PoolingAttributes {
  static constexpr const char* kName = "lp_pool2d";
  static constexpr const char* kLegacy[] = {"lp_pool2d"};
  static constexpr Port kInputs[] = {in("x", "X"), shape_in("kernel_size", "kernel_size")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  double norm_type = 0;
  LpPool2d() : PoolingAttributes(2) {}
  void attributes(AttributeVisitor& visit) {
    PoolingAttributes::attributes(visit);
    visit("norm_type", norm_type);
  }
  friend bool operator==(const LpPool2d&, const LpPool2d&) = default;
};

inline void infer(const LpPool2d& op, InferArgs& a) {
  const std::optional<Ints> kernel = a.ints(1);
  infer_pooling(op, kernel ? &*kernel : nullptr, a, 2);
}

inline void reference(const LpPool2d& op, ReferenceArgs& a) {
  PoolingAttributes sum = op;
  sum.pooling_type = PoolingType::kAverage;
  sum.exclusive = true;
  const Ints kernel = a.has(1) ? a.in(1).integers(a.context()) : Ints{};
  const PoolingGeometry g = pooling_geometry(sum, kernel, a.shape(0), 2);
  const Tensor x = to_channels_first(a.context(), a.in(0), op.data_format);
  Tensor y = channels_first_like(a.context(), a.out(0), op.data_format);
  visit_float(x.dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    T* to = y.data<T>();
    for (int64_t plane = 0; plane < g.batch * g.channels; ++plane) {
      const T* from = x.data<T>() + plane * g.axes[1].in * g.axes[2].in;
      for (int64_t h = 0; h < g.axes[1].out; ++h) {
        for (int64_t w = 0; w < g.axes[2].out; ++w) {
          double total = 0;
          for (int64_t r = g.begin(1, h); r < g.end(1, h); ++r) {
            for (int64_t c = g.begin(2, w); c < g.end(2, w); ++c) {
              total += std::pow(static_cast<double>(from[r * g.axes[2].in + c]), op.norm_type);
            }
          }
          *to++ = static_cast<T>(std::pow(total, 1.0 / op.norm_type));
        }
      }
    }
  });
  store_channels_first(y, op.data_format, a.out(0));
}

inline constexpr const OpSchema* lp_pool2d_op = &kOpSchema<LpPool2d>;

}  // namespace coracle::internal
