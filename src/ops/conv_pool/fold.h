// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/conv_pool/patches.h"

namespace coracle::internal {

/// The image whose windows are the columns of x, summed where they overlap: [n, c * kernel area, windows] gives
/// [n, c, output_sizes].
struct Fold {
  static constexpr const char* kName = "fold";
  static constexpr const char* kLegacy[] = {"fold"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Y")};
  Ints output_sizes;
  Ints kernel_sizes;
  Ints strides{1, 1};
  Ints paddings{0, 0};
  Ints dilations{1, 1};
  void attributes(AttributeVisitor& visit) {
    visit("output_sizes", output_sizes);
    visit("kernel_sizes", kernel_sizes);
    visit("strides", strides);
    visit("paddings", paddings);
    visit("dilations", dilations);
  }
  friend bool operator==(const Fold&, const Fold&) = default;
};

inline void infer(const Fold& op, InferArgs& a) {
  const Shape x = a.shape(0).rank_known() ? a.shape(0) : Shape::filled(3, Shape::kUnknown);
  const Patches p(op.kernel_sizes, op.strides, op.paddings, op.dilations);
  require(x.rank() == 3, "x is ", x, ", expected 3 dimensions");
  require(op.output_sizes.size() == 2 && op.output_sizes[0] > 0 && op.output_sizes[1] > 0, "output_sizes is ",
          Shape(op.output_sizes), ", expected two positive numbers");
  const int64_t windows = checked_multiply(p.windows(op.output_sizes[0], 0), p.windows(op.output_sizes[1], 1));
  require(x[2] < 0 || x[2] == windows, "x has ", x[2], " columns, expected ", windows, " windows");
  a.set(0, a.dtype(0),
        Shape{x[0], divided(x[1], p.kernel[0] * p.kernel[1], "the area of the kernel"), op.output_sizes[0],
              op.output_sizes[1]});
}

inline void reference(const Fold& op, ReferenceArgs& a) {
  const Shape& y = a.out(0).shape();
  const Patches p(op.kernel_sizes, op.strides, op.paddings, op.dilations);
  const int64_t count[2] = {p.windows(y[2], 0), p.windows(y[3], 1)};
  // The window along axis i whose element k lies on position `at`, or -1.
  const auto window = [&](int i, int64_t at, int64_t k) -> int64_t {
    const int64_t first = at + p.begin[i] - k * p.dilation[i];
    return first < 0 || first % p.stride[i] != 0 || first / p.stride[i] >= count[i] ? -1 : first / p.stride[i];
  };
  visit_float(a.in(0).dtype(), [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    T* to = a.out(0).data<T>();
    const int64_t area = p.kernel[0] * p.kernel[1];
    for (int64_t plane = 0; plane < y[0] * y[1]; ++plane) {
      const T* from = a.in(0).data<T>() + plane * area * count[0] * count[1];
      for (int64_t h = 0; h < y[2]; ++h) {
        for (int64_t w = 0; w < y[3]; ++w) {
          double sum = 0;
          for (int64_t k = 0; k < area; ++k) {
            const int64_t r = window(0, h, k / p.kernel[1]);
            const int64_t c = window(1, w, k % p.kernel[1]);
            if (r >= 0 && c >= 0) sum += static_cast<double>(from[(k * count[0] + r) * count[1] + c]);
          }
          *to++ = static_cast<T>(sum);
        }
      }
    }
  });
}

inline constexpr const OpSchema* fold_op = &kOpSchema<Fold>;

}  // namespace coracle::internal
