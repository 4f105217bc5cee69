// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/conv_pool/patches.h"

namespace coracle::internal {

/// Every window over the image as a column: [n, c, h, w] gives [n, c * kernel area, windows].
struct Unfold {
  static constexpr const char* kName = "unfold";
  static constexpr const char* kLegacy[] = {"unfold"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Y")};
  Ints kernel_sizes;
  Ints strides{1, 1};
  Ints paddings{0, 0};
  Ints dilations{1, 1};
  void attributes(AttributeVisitor& visit) {
    visit("kernel_sizes", kernel_sizes);
    visit("strides", strides);
    visit("paddings", paddings);
    visit("dilations", dilations);
  }
  friend bool operator==(const Unfold&, const Unfold&) = default;
};

inline void infer(const Unfold& op, InferArgs& a) {
  const Shape x = image_shape(a.shape(0));
  const Patches p(op.kernel_sizes, op.strides, op.paddings, op.dilations);
  const int64_t rows = p.windows(x[2], 0);
  const int64_t columns = p.windows(x[3], 1);
  a.set(0, a.dtype(0),
        Shape{x[0], multiplied(x[1], p.kernel[0] * p.kernel[1]),
              rows < 0 || columns < 0 ? Shape::kUnknown : checked_multiply(rows, columns)});
}

inline void reference(const Unfold& op, ReferenceArgs& a) {
  const Shape& x = a.shape(0);
  const Patches p(op.kernel_sizes, op.strides, op.paddings, op.dilations);
  const int64_t rows = p.windows(x[2], 0);
  const int64_t columns = p.windows(x[3], 1);
  visit_real(a.in(0).dtype(), [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    T* to = a.out(0).data<T>();
    for (int64_t plane = 0; plane < x[0] * x[1]; ++plane) {
      const T* from = a.in(0).data<T>() + plane * x[2] * x[3];
      for (int64_t k = 0; k < p.kernel[0] * p.kernel[1]; ++k) {
        for (int64_t r = 0; r < rows; ++r) {
          const int64_t h = r * p.stride[0] - p.begin[0] + k / p.kernel[1] * p.dilation[0];
          for (int64_t c = 0; c < columns; ++c) {
            const int64_t w = c * p.stride[1] - p.begin[1] + k % p.kernel[1] * p.dilation[1];
            *to++ = h < 0 || h >= x[2] || w < 0 || w >= x[3] ? T(0) : from[h * x[3] + w];
          }
        }
      }
    }
  });
}

inline constexpr const OpSchema* unfold_op = &kOpSchema<Unfold>;

}  // namespace coracle::internal
