// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "base/buffer.h"
#include "base/long_loop.h"
#include "ops/detection/boxes.h"
#include "ops/sequence/sequences.h"

namespace coracle::internal {

/// A convolution of images of different sizes. x [elements, 1] has them one after the other, channel by channel, as
/// sequences; image i is as high as sequence i of row is long, and as wide as sequence i of column. filter is
/// [output_channel, input_channel * kernel_h * kernel_w]; a window stands around its pixel, with zeros outside of the
/// image. col has the windows themselves.
struct VarConv2d {
  static constexpr const char* kName = "var_conv_2d";
  static constexpr const char* kLegacy[] = {"var_conv_2d"};
  static constexpr Port kInputs[] = {in("x", "X"), in("row", "ROW"), in("column", "COLUMN"), weight_in("w", "W")};
  static constexpr Port kOutputs[] = {out("out", "Out"), optional_out("col", "Col")};
  static constexpr LodRule kLod = LodRule::kOwn;
  int64_t input_channel = 1;
  int64_t output_channel = 1;
  int64_t kernel_h = 1;
  int64_t kernel_w = 1;
  int64_t stride_h = 1;
  int64_t stride_w = 1;
  void attributes(AttributeVisitor& visit) {
    visit("input_channel", input_channel, "InputChannel");
    visit("output_channel", output_channel, "OutputChannel");
    visit("kernel_h", kernel_h, "KernelH");
    visit("kernel_w", kernel_w, "KernelW");
    visit("stride_h", stride_h, "StrideH");
    visit("stride_w", stride_w, "StrideW");
  }
  friend bool operator==(const VarConv2d&, const VarConv2d&) = default;

  int64_t window() const { return input_channel * kernel_h * kernel_w; }
};

inline void infer(const VarConv2d& op, InferArgs& a) {
  constexpr int64_t kLimit = 1 << 13;  // of a channel, a side or a stride: products of three of them fit
  const std::pair<const char*, int64_t> numbers[] = {
      {"input_channel", op.input_channel}, {"output_channel", op.output_channel},
      {"kernel_h", op.kernel_h},           {"kernel_w", op.kernel_w},
      {"stride_h", op.stride_h},           {"stride_w", op.stride_w}};
  for (const auto& [name, value] : numbers) {
    require(value > 0 && value <= kLimit, name, " is ", value, ", expected 1 to ", kLimit);
  }
  require(is_float(a.dtype(0)) && a.dtype(0) == a.dtype(3), "x is ", a.dtype(0), " and w ", a.dtype(3),
          ", expected the same real type");
  require_one_per_row(a.shape(0), "x");
  const Shape filter{op.output_channel, op.window()};
  require(compatible(a.shape(3), filter), "w is ", a.shape(3), ", expected ", filter);
  a.set(0, a.dtype(0), Shape{Shape::kUnknown, 1});
  a.set(1, a.dtype(0), Shape{Shape::kUnknown, 1});
}

inline void reference(const VarConv2d& op, ReferenceArgs& a) {
  const std::vector<int64_t> ends = offsets_of(a.in(0));
  const std::vector<int64_t> rows = offsets_of(a.in(1));
  const std::vector<int64_t> columns = offsets_of(a.in(2));
  require(rows.size() == ends.size() && columns.size() == ends.size(), ErrorCode::kRunFailure, "x has ",
          ends.size() - 1, " sequences, row ", rows.size() - 1, " and column ", columns.size() - 1,
          ", expected one of each for an image");
  const Buffer<double> x = a.doubles(0);
  const Buffer<double> w = a.doubles(3);
  const int64_t window = op.window();
  Buffer<double> results(a.context());
  Buffer<double> windows(a.context());
  std::vector<int64_t> result_ends{0};
  std::vector<int64_t> window_ends{0};
  LoopCheck check(a.context());
  for (size_t n = 0; n + 1 < ends.size(); ++n) {
    const int64_t height = rows[n + 1] - rows[n];
    const int64_t width = columns[n + 1] - columns[n];
    require(ends[n + 1] - ends[n] == checked_multiply(op.input_channel, checked_multiply(height, width)),
            ErrorCode::kRunFailure, "image ", n, " has ", ends[n + 1] - ends[n], " elements, expected ",
            op.input_channel, " x ", height, " x ", width);
    const int64_t down = (height + op.stride_h - 1) / op.stride_h;
    const int64_t across = (width + op.stride_w - 1) / op.stride_w;
    const auto first = static_cast<int64_t>(windows.size());
    for (int64_t k = 0; k < window; ++k) {
      const double* plane = x.data() + ends[n] + k / (op.kernel_h * op.kernel_w) * height * width;
      for (int64_t i = 0; i < down * across; ++i) {
        const int64_t h = i / across * op.stride_h + k / op.kernel_w % op.kernel_h - op.kernel_h / 2;
        const int64_t v = i % across * op.stride_w + k % op.kernel_w - op.kernel_w / 2;
        const bool inside = h >= 0 && h < height && v >= 0 && v < width;
        windows.push_back(inside ? plane[h * width + v] : 0.0);
        check.step(4);
      }
    }
    for (int64_t channel = 0; channel < op.output_channel; ++channel) {
      for (int64_t i = 0; i < down * across; ++i) {
        double sum = 0;
        for (int64_t k = 0; k < window; ++k) {
          sum += w[static_cast<size_t>(channel * window + k)] *
                 windows[static_cast<size_t>(first + k * down * across + i)];
        }
        results.push_back(sum);
        check.step(window);
      }
    }
    result_ends.push_back(static_cast<int64_t>(results.size()));
    window_ends.push_back(static_cast<int64_t>(windows.size()));
  }
  const auto give = [&](int port, const Buffer<double>& values, const std::vector<int64_t>& offsets) {
    a.out(port) = a.make(a.in(0).dtype(), Shape{static_cast<int64_t>(values.size()), 1});
    a.out(port).assign(a.context(), std::span<const double>(values));
    a.out(port).set_lod(one_level(offsets));
  };
  give(0, results, result_ends);
  if (a.wants(1)) give(1, windows, window_ends);
}

inline constexpr const OpSchema* var_conv_2d_op = &kOpSchema<VarConv2d>;

}  // namespace coracle::internal
