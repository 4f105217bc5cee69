// SPDX-License-Identifier: Apache-2.0
#include "families.h"
#include "kernel_case.h"
#include "ops/conv_pool/conv2d_fused.h"

namespace coracle::bench {
namespace {

struct Row {
  const char* name;
  int64_t channels, height, width;
  int64_t kernel;
  int stride_height, stride_width;
};

constexpr Row kRows[] = {
    {"det 3x3 16 @320", 16, 320, 320, 3, 1, 1},       {"det 3x3s2 32 @320", 32, 320, 320, 3, 2, 2},
    {"det 3x3 48 @160", 48, 160, 160, 3, 1, 1},       {"det 3x3 96 @80", 96, 80, 80, 3, 1, 1},
    {"det 5x5 192 @40", 192, 40, 40, 5, 1, 1},        {"det 5x5 384 @20", 384, 20, 20, 5, 1, 1},
    {"rec 3x3 64 @24x160", 64, 24, 160, 3, 1, 1},     {"rec 3x3s2x1 64 @24x160", 64, 24, 160, 3, 2, 1},
    {"rec 5x5 240 @12x80", 240, 12, 80, 5, 1, 1},     {"rec 5x5 480 @3x80", 480, 3, 80, 5, 1, 1},
    {"mobilenet 3x3 32 @112", 32, 112, 112, 3, 1, 1}, {"mobilenet 3x3s2 64 @112", 64, 112, 112, 3, 2, 2},
    {"mobilenet 3x3 512 @14", 512, 14, 14, 3, 1, 1},  {"mobilenet 3x3 1024 @7", 1024, 7, 7, 3, 1, 1},
};

}  // namespace

void add_depthwise_conv2d() {
  for (const Row& r : kRows) {
    Conv2dFused conv;
    const int padding = static_cast<int>(r.kernel / 2);
    conv.strides = {r.stride_height, r.stride_width};
    conv.paddings = {padding, padding};
    conv.groups = static_cast<int>(r.channels);
    conv.epilogue = {{EpilogueKind::kAddChannel}, {EpilogueKind::kRelu}};
    const int64_t height = (r.height - 1) / r.stride_height + 1;
    const int64_t width = (r.width - 1) / r.stride_width + 1;
    add({.name = r.name,
         .op = conv,
         .in = {random_floats({1, r.channels, r.height, r.width}), random_floats({r.channels, 1, r.kernel, r.kernel}),
                random_floats({r.channels})},
         .flops = 2.0 * static_cast<double>(height * width * r.channels * r.kernel * r.kernel)});
  }
}

}  // namespace coracle::bench
