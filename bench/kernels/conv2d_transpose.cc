// SPDX-License-Identifier: Apache-2.0
#include "families.h"
#include "kernel_case.h"
#include "ops/conv_pool/conv2d_transpose_fused.h"

namespace coracle::bench {
namespace {

struct Row {
  const char* name;
  int64_t in_channels, height, width;
  int64_t out_channels, kernel;
  int stride, padding;
};

constexpr Row kRows[] = {
    {"det head 2x2s2 24-24 @160", 24, 160, 160, 24, 2, 2, 0},
    {"det head 2x2s2 24-1 @320", 24, 320, 320, 1, 2, 2, 0},
    {"unet 4x4s2 64-32 @56", 64, 56, 56, 32, 4, 2, 1},
};

}  // namespace

void add_conv2d_transpose() {
  for (const Row& r : kRows) {
    Conv2dTransposeFused conv;
    conv.strides = {r.stride, r.stride};
    conv.paddings = {r.padding, r.padding};
    conv.epilogue = {{EpilogueKind::kAddChannel}, {EpilogueKind::kRelu}};
    add({.name = r.name,
         .op = conv,
         .in = {random_floats({1, r.in_channels, r.height, r.width}),
                random_floats({r.in_channels, r.out_channels, r.kernel, r.kernel}), random_floats({r.out_channels})},
         .flops =
             2.0 * static_cast<double>(r.height * r.width * r.in_channels * r.out_channels * r.kernel * r.kernel)});
  }
}

}  // namespace coracle::bench
