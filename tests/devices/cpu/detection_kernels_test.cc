// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "ops/algebra/inverse.h"
#include "ops/detection/yolo_box.h"
#include "support/check_kernels.h"
#include "support/device_kernel_runner.h"

/// Kernels of operators that share their formulas with the reference: detection heads and inverses.
namespace coracle::internal::test {
namespace {

using KernelNames = std::set<std::string>;

/// Devices compute boxes of hundreds of pixels in float32, as differences.
double error_of_pixels() { return DeviceKernelRunner::under_test() == nullptr ? 1e-6 : 3e-4; }

TEST(DetectionKernels, YoloBox) {
  for (const int64_t batch : {1, 3}) {
    for (const Ints& size : {Ints{1, 1}, Ints{5, 13}, Ints{9, 15}}) {
      for (const int classes : {1, 5, 20}) {
        for (const float threshold : {0.0F, 0.4F, 0.999F}) {
          YoloBox op;
          op.anchors = {10, 13, 16, 30, 33, 23};
          op.class_num = classes;
          op.conf_thresh = threshold;
          op.clip_bbox = threshold > 0;
          op.scale_x_y = batch == 1 ? 1.0F : 1.05F;
          op.iou_aware = classes == 5;
          const int64_t channels = 3 * (5 + classes + (op.iou_aware ? 1 : 0));
          const Tensor x = random_floats({batch, channels, size[0], size[1]});
          for (const DType type : {DType::kInt32, DType::kInt64}) {
            EXPECT_EQ(kernels_that_take({.op = op,
                                         .in = {x, random_ints({batch, 2}, 100, 400, type)},
                                         .out_counts = {1, 1},
                                         .relative = 4e-6,
                                         .absolute = error_of_pixels()}),
                      KernelNames{"yolo_box"});
          }
        }
      }
    }
  }
}

TEST(DetectionKernels, YoloBoxWithSpecialValues) {
  YoloBox op;
  op.anchors = {10, 13};
  op.class_num = 3;
  op.conf_thresh = 0.5F;
  for (const float special : {NAN, INFINITY, -INFINITY, 200.0F}) {
    Tensor x = random_floats({1, 8, 8, 9});
    for (int64_t i = 0; i < x.count(); i += 5) x.data<float>()[i] = special;
    EXPECT_EQ(kernels_that_take({.op = op,
                                 .in = {x, random_ints({1, 2}, 100, 400, DType::kInt32)},
                                 .out_counts = {1, 1},
                                 .relative = 4e-6,
                                 .absolute = error_of_pixels()}),
              KernelNames{"yolo_box"});
  }
}

TEST(DetectionKernels, Inverse) {
  for (const Shape& s : {Shape{1, 1}, Shape{7, 5, 5}, Shape{2, 3, 17, 17}}) {
    EXPECT_EQ(kernels_that_take({.op = Inverse{}, .in = {random_floats(s)}}), KernelNames{"inverse"});
  }
}

}  // namespace
}  // namespace coracle::internal::test
