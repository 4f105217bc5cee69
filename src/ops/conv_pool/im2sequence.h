// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/long_loop.h"
#include "ops/conv_pool/patches.h"
#include "ops/sequence/sequences.h"

namespace coracle::internal {

/// The windows over each image of x [N, C, H, W] as a sequence of rows [C * kernel height * kernel width]. y [N, 2], if
/// present and there are several images, has the height and width of each before it was made smaller by out_stride:
/// only windows that belong to it are taken.
struct Im2sequence {
  static constexpr const char* kName = "im2sequence";
  static constexpr const char* kLegacy[] = {"im2sequence"};
  static constexpr LodRule kLod = LodRule::kOwn;
  static constexpr Port kInputs[] = {in("x", "X"), optional_in("y", "Y")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  Ints kernels{1, 1};
  Ints strides{1, 1};
  Ints paddings{0, 0, 0, 0};
  Ints out_stride{1, 1};
  void attributes(AttributeVisitor& visit) {
    visit("kernels", kernels);
    visit("strides", strides);
    visit("paddings", paddings);
    visit("out_stride", out_stride);
  }
  friend bool operator==(const Im2sequence&, const Im2sequence&) = default;

  Patches patches() const { return {kernels, strides, paddings, {1, 1}}; }
};

inline void infer(const Im2sequence& op, InferArgs& a) {
  const Patches patches = op.patches();
  require(op.out_stride.size() == 2 && op.out_stride[0] > 0 && op.out_stride[1] > 0, "out_stride is ",
          Shape(op.out_stride), ", expected two positive numbers");
  const Shape x = image_shape(a.shape(0));
  const int64_t window = checked_multiply(patches.kernel[0], patches.kernel[1]);
  const int64_t down = patches.windows(x[2], 0);
  const int64_t across = patches.windows(x[3], 1);
  Shape y{Shape::kUnknown, multiplied(x[1], window)};
  if (x.known() && !(a.has(1) && x[0] > 1)) {
    y[0] = checked_multiply(x[0], checked_multiply(down, across));
    std::vector<size_t> ends;
    for (int64_t n = 0; n <= x[0]; ++n) ends.push_back(static_cast<size_t>(n * down * across));
    a.set(0, a.dtype(0), y);
    set_lod(a.out(0), {std::move(ends)});
    return;
  }
  a.set(0, a.dtype(0), y);
}

/// Windows along an axis of image `n`, whose true size there is `size`. As Paddle rounds, one that is smaller than a
/// window has a window, too, if less than a stride is missing.
inline int64_t windows_of_image(const Patches& patches, int64_t size, int axis, int64_t n) {
  const int64_t free = size + patches.begin[axis] + patches.end[axis] - patches.kernel[axis];
  const int64_t windows = free / patches.stride[axis] + 1;
  require(windows >= 0, ErrorCode::kRunFailure, "a window of ", patches.kernel[axis], " does not fit image ", n,
          ", which has a side of ", size);
  return windows;
}

inline void reference(const Im2sequence& op, ReferenceArgs& a) {
  const Patches patches = op.patches();
  const Shape& s = a.shape(0);
  std::vector<int64_t> windows[2];  // along height and width, of each image
  std::vector<int64_t> ends{0};
  const bool by_image = a.has(1) && s[0] > 1;
  if (by_image) {
    require(a.in(1).count() == s[0] * 2, ErrorCode::kRunFailure, "y is ", a.shape(1), ", but there are ", s[0],
            " images");
  }
  LoopCheck check(a.context());
  for (int64_t n = 0; n < s[0]; ++n) {
    check.step();
    for (int axis : {0, 1}) {
      int64_t size = s[axis + 2];
      if (by_image) {
        const int64_t step = op.out_stride[static_cast<size_t>(axis)];
        size = a.in(1).integer(n * 2 + axis);
        require(size >= 0 && size <= s[axis + 2] * step, ErrorCode::kRunFailure, "image ", n, " has a side of ", size,
                ", but x is ", s, " and out_stride ", step);
        size = (size + step - 1) / step;
      }
      windows[axis].push_back(windows_of_image(patches, size, axis, n));
    }
    ends.push_back(ends.back() + windows[0].back() * windows[1].back());
  }
  const int64_t width = s[1] * patches.kernel[0] * patches.kernel[1];
  if (a.out(0).empty_handle()) {
    a.out(0) = a.make(a.in(0).dtype(), Shape{ends.back(), width});
    a.out(0).set_lod(one_level(ends));
  }
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    T* to = a.out(0).data<T>();
    for (int64_t n = 0; n < s[0]; ++n) {
      for (int64_t i = 0; i < windows[0][static_cast<size_t>(n)]; ++i) {
        for (int64_t j = 0; j < windows[1][static_cast<size_t>(n)]; ++j) {
          for (int64_t c = 0; c < s[1]; ++c) {
            const T* plane = a.in(0).data<T>() + (n * s[1] + c) * s[2] * s[3];
            for (int64_t k = 0; k < patches.kernel[0]; ++k) {
              const int64_t row = i * patches.stride[0] + k - patches.begin[0];
              for (int64_t l = 0; l < patches.kernel[1]; ++l) {
                const int64_t column = j * patches.stride[1] + l - patches.begin[1];
                const bool inside = row >= 0 && row < s[2] && column >= 0 && column < s[3];
                *to++ = inside ? plane[row * s[3] + column] : static_cast<T>(0.0F);
              }
            }
          }
        }
      }
    }
  });
}

inline constexpr const OpSchema* im2sequence_op = &kOpSchema<Im2sequence>;

}  // namespace coracle::internal
