// SPDX-License-Identifier: Apache-2.0
#include "families.h"
#include "kernel_case.h"
#include "ops/conv_pool/conv2d_fused.h"

namespace coracle::bench {
namespace {

struct Row {
  const char* name;
  int64_t in_channels, height, width;
  int64_t out_channels, kernel_height, kernel_width;
  int stride, padding_height, padding_width;
};

constexpr Row kRows[] = {
    {"det first 3x3s2 3-16 @640", 3, 640, 640, 16, 3, 3, 2, 1, 1},
    {"det pointwise 16-32 @320", 16, 320, 320, 32, 1, 1, 1, 0, 0},
    {"det pointwise 48-48 @160", 48, 160, 160, 48, 1, 1, 1, 0, 0},
    {"det pointwise 96-96 @80", 96, 80, 80, 96, 1, 1, 1, 0, 0},
    {"det pointwise 192-192 @40", 192, 40, 40, 192, 1, 1, 1, 0, 0},
    {"det pointwise 384-384 @20", 384, 20, 20, 384, 1, 1, 1, 0, 0},
    {"det neck pointwise 12-96 @160", 12, 160, 160, 96, 1, 1, 1, 0, 0},
    {"det neck 3x3 96-24 @160", 96, 160, 160, 24, 3, 3, 1, 1, 1},
    {"det squeeze-excite 384-96 @1", 384, 1, 1, 96, 1, 1, 1, 0, 0},
    {"rec first 3x3s2 3-16 @48x320", 3, 48, 320, 16, 3, 3, 2, 1, 1},
    {"rec pointwise 64-64 @24x160", 64, 24, 160, 64, 1, 1, 1, 0, 0},
    {"rec pointwise 240-240 @12x80", 240, 12, 80, 240, 1, 1, 1, 0, 0},
    {"rec pointwise 480-480 @3x80", 480, 3, 80, 480, 1, 1, 1, 0, 0},
    {"rec 1x3 480-60 @1x40", 480, 1, 40, 60, 1, 3, 1, 0, 1},
    {"resnet first 7x7s2 3-64 @224", 3, 224, 224, 64, 7, 7, 2, 3, 3},
    {"resnet 3x3 64-64 @56", 64, 56, 56, 64, 3, 3, 1, 1, 1},
    {"resnet pointwise 256-64 @56", 256, 56, 56, 64, 1, 1, 1, 0, 0},
    {"resnet pointwise 64-256 @56", 64, 56, 56, 256, 1, 1, 1, 0, 0},
    {"resnet 3x3 128-128 @28", 128, 28, 28, 128, 3, 3, 1, 1, 1},
    {"resnet 3x3s2 256-256 @28", 256, 28, 28, 256, 3, 3, 2, 1, 1},
    {"resnet 3x3 256-256 @14", 256, 14, 14, 256, 3, 3, 1, 1, 1},
    {"resnet pointwise 1024-256 @14", 1024, 14, 14, 256, 1, 1, 1, 0, 0},
    {"resnet 3x3 512-512 @7", 512, 7, 7, 512, 3, 3, 1, 1, 1},
    {"resnet pointwise 512-2048 @7", 512, 7, 7, 2048, 1, 1, 1, 0, 0},
    {"mobilenet pointwise 32-64 @112", 32, 112, 112, 64, 1, 1, 1, 0, 0},
    {"mobilenet pointwise 512-512 @14", 512, 14, 14, 512, 1, 1, 1, 0, 0},
    {"mobilenet pointwise 1024-1024 @7", 1024, 7, 7, 1024, 1, 1, 1, 0, 0},
};

}  // namespace

void add_conv2d() {
  for (const Row& r : kRows) {
    Conv2dFused conv;
    conv.strides = {r.stride, r.stride};
    conv.paddings = {r.padding_height, r.padding_width};
    conv.epilogue = {{EpilogueKind::kAddChannel}, {EpilogueKind::kRelu}};
    const int64_t height = (r.height + 2 * r.padding_height - r.kernel_height) / r.stride + 1;
    const int64_t width = (r.width + 2 * r.padding_width - r.kernel_width) / r.stride + 1;
    const int64_t sum_length = r.in_channels * r.kernel_height * r.kernel_width;
    add({.name = r.name,
         .op = conv,
         .in = {random_floats({1, r.in_channels, r.height, r.width}),
                random_floats({r.out_channels, r.in_channels, r.kernel_height, r.kernel_width}),
                random_floats({r.out_channels})},
         .flops = 2.0 * static_cast<double>(height * width * r.out_channels * sum_length)});
  }
}

}  // namespace coracle::bench
