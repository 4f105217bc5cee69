// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "devices/device_kernel_test.h"
#include "ops/conv_pool/depthwise_conv2d_transpose.h"
#include "ops/creation/full_batch_size_like.h"
#include "ops/creation/full_like.h"
#include "ops/creation/full_with_tensor.h"
#include "ops/detection/box_coder.h"
#include "ops/detection/prior_box.h"
#include "ops/detection/yolo_box.h"
#include "ops/elementwise/elementwise_pow.h"
#include "ops/elementwise/fmax.h"
#include "ops/elementwise/fmin.h"
#include "ops/elementwise/scale.h"
#include "ops/index/index_select.h"
#include "ops/index/lookup_table.h"
#include "ops/interp/grid_sample.h"
#include "ops/interp/legacy_bicubic_interp.h"
#include "ops/interp/legacy_bilinear_interp.h"
#include "ops/interp/legacy_linear_interp.h"
#include "ops/interp/legacy_nearest_interp.h"
#include "ops/interp/legacy_trilinear_interp.h"
#include "ops/matmul/linear.h"
#include "ops/movement/expand_as.h"
#include "ops/movement/legacy_expand.h"
#include "ops/movement/pad.h"
#include "ops/movement/pad2d.h"
#include "ops/movement/relayout.h"
#include "ops/movement/roll.h"
#include "ops/movement/shuffle_channel.h"
#include "ops/movement/unbind.h"
#include "ops/rnn/rnn.h"

/// Cases for kernels of devices that the cases of the CPU's kernels do not reach, and a look at which of them have run:
/// with CORACLE_TEST_DEVICE=opencl.
namespace coracle::internal::test {
namespace {

class DeviceKernels : public DeviceKernelTest {};

/// Operators on one operand, with the attributes they have by default.
TEST_F(DeviceKernels, OneOperand) {
  for (const KernelDef* kernel : DeviceKernelRunner::under_test()->all()) {
    int operands = 0;
    for (const Port& port : kernel->op->inputs) {
      operands += port.attribute.empty() && !port.shape_input && port.kind == Port::Kind::kOne ? 1 : 0;
    }
    const bool elementwise = kernel->layout == LayoutRule::kSame && kernel->op != &kOpSchema<Relayout>;
    if (operands != 1 || kernel->view || !elementwise) continue;
    SCOPED_TRACE(kernel->name);
    PortCounts counts(kernel->op->inputs.size(), 0);
    counts[0] = 1;
    for (const Shape& s : {Shape{0}, Shape{}, Shape{1}, Shape{65}, Shape{2, 3, 5}, Shape{1, 0, 2}, Shape{3, 67, 31}}) {
      for (const auto& [low, high] : {std::pair(-0.99, 0.99), std::pair(-6.0, 6.0), std::pair(0.01, 40.0)}) {
        check_on_every_kernel({.op = Op(kernel->op),
                               .in = {random_floats(s, low, high)},
                               .in_counts = counts,
                               .relative = 1e-5,
                               .absolute = 2e-6});
      }
    }
    Tensor special = random_floats({9});
    const float values[] = {NAN, INFINITY, -INFINITY, 0.0F, -0.0F, 1e-42F, 1e30F, -1e30F, 88.8F};
    std::copy(std::begin(values), std::end(values), special.data<float>());
    check_on_every_kernel({.op = Op(kernel->op), .in = {special}, .in_counts = counts, .relative = 1e-5});
  }
}

TEST_F(DeviceKernels, TwoOperands) {
  for (const Op& op : {Op(Fmax{}), Op(Fmin{}), Op(ElementwisePow{})}) {
    for (const auto& [a, b] : {std::pair(Shape{2, 3, 5}, Shape{3, 1}), std::pair(Shape{65}, Shape{}),
                               std::pair(Shape{1, 4, 1}, Shape{3, 1, 7}), std::pair(Shape{0, 2}, Shape{2})}) {
      EXPECT_EQ(taken({.op = op, .in = {random_floats(a, 0.1, 3), random_floats(b, -2, 2, 2)}, .relative = 4e-6}), 1);
    }
  }
}

TEST_F(DeviceKernels, Moving) {
  EXPECT_EQ(taken({ExpandAs{}, {random_floats({3, 1, 5}), random_floats({2, 3, 4, 5})}}), 1);
  EXPECT_EQ(taken({LegacyExpand{}, {random_ints({2, 3, 4}, -9, 9), int_list({2, 1, 3})}}), 1);
  ShuffleChannel shuffle;
  shuffle.group = 3;
  EXPECT_EQ(taken({shuffle, {random_floats({2, 12, 3, 5})}}), 1);
  for (int axis : {0, 1, -1}) {
    Unbind unbind;
    unbind.axis = axis;
    const Shape s{3, 4, 2};
    EXPECT_EQ(taken({.op = unbind,
                     .in = {random_ints(s, -9, 9, DType::kInt16)},
                     .out_counts = {static_cast<int>(s[axis < 0 ? 2 : axis])}}),
              1);
  }
  for (int axis : {0, 1, 2}) {
    IndexSelect select;
    select.axis = axis;
    EXPECT_EQ(taken({select, {random_floats({4, 5, 6}), int_list({3, -1, 0, 3})}}), 1);
  }
  LookupTable table;
  table.padding_idx = 2;
  EXPECT_EQ(taken({table, {random_ints({7, 1}, 0, 9), random_floats({9, 33})}}), 1);
}

TEST_F(DeviceKernels, Rolling) {
  const Shape s{2, 5, 7, 3};
  for (const auto& [axis, shifts] : {std::pair(Ints{}, Ints{4}), std::pair(Ints{1, 2}, Ints{-2, 3}),
                                     std::pair(Ints{2, 0, -1}, Ints{7, 1, -4}), std::pair(Ints{1, 1}, Ints{9, -4})}) {
    EXPECT_EQ(taken({Roll{.axis = axis}, {random_floats(s), int_list(shifts)}}), 1);
    EXPECT_EQ(taken({Roll{.axis = axis}, {random_ints(s, -9, 9), int_list(shifts)}}), 1);
  }
  EXPECT_EQ(taken({Roll{.axis = {0, 1}}, {random_floats({0, 4}), int_list({1, 1})}}), 1);
  EXPECT_EQ(taken({Roll{.axis = {0, 1, 2, 3}}, {random_floats(s), int_list({1, 1, 1, 1})}}), 0);
}

TEST_F(DeviceKernels, Filling) {
  for (const Shape& s : {Shape{3, 70}, Shape{1}, Shape{0, 2}}) {
    const Ints dims(s.begin(), s.end());
    EXPECT_EQ(taken({FullWithTensor{}, {random_floats({1}), int_list(dims)}}), 1);
    EXPECT_EQ(taken({FullWithTensor{.dtype = DType::kInt64}, {random_ints({1}, -9, 9), int_list(dims)}}), 1);
    const struct {
      DType type;
      double number;
      int taken;
    } cases[] = {{DType::kFloat32, -INFINITY, 1}, {DType::kFloat16, 0.3, 1}, {DType::kInt64, -2.5, 1},
                 {DType::kInt32, 16777216, 1},    {DType::kBool, 0.25, 1},   {DType::kInt64, 16777217, 0}};
    for (const auto& c : cases) {
      const FullBatchSizeLike by_batch{.dtype = c.type, .shape = {5, -1, 3}, .value = c.number, .output_dim_idx = 1};
      EXPECT_EQ(taken({by_batch, {random_ints(s, -9, 9)}}), c.taken) << c.number;
      EXPECT_EQ(taken({FullLike{.dtype = c.type}, {random_floats(s), Tensor::scalar(c.number)}}), c.taken) << c.number;
    }
  }
}

TEST_F(DeviceKernels, Padding) {
  Pad pad;
  pad.paddings = {1, 0, 0, 2, 3, 1};
  EXPECT_EQ(taken({pad, {random_floats({2, 3, 4}), Tensor::scalar(1.5F)}}), 1);
  EXPECT_EQ(taken({pad, {random_ints({2, 3, 4}, -9, 9), Tensor::scalar(-2.0F)}}), 1);
  for (const char* mode : {"constant", "reflect", "edge"}) {
    Pad2d pad2d;
    pad2d.mode = mode;
    pad2d.pad_value = 0.5;
    EXPECT_EQ(taken({pad2d, {random_floats({2, 3, 4, 5}), int_list({1, 2, 3, 0})}}), 1);
  }
}

TEST_F(DeviceKernels, WholeNumbersScaled) {
  constexpr int64_t kLarge = INT64_C(0x3123456789abcdef);
  const struct {
    double scale, bias;
    int taken;
  } cases[] = {{3, -7, 1}, {-2.75, 1.5, 1}, {0, 16777216, 1}, {65536, 1, 1}, {16777217, 0, 0}, {1, NAN, 0}};
  for (const auto& c : cases) {
    for (const bool after : {false, true}) {
      const Scale op{.bias = c.bias, .bias_after_scale = after};
      const Tensor scale = Tensor::scalar(c.scale);
      for (const Shape& s : {Shape{3, 67}, Shape{}, Shape{2, 0}}) {
        for (const DType type : {DType::kInt32, DType::kInt64}) {
          const int64_t bound = type == DType::kInt32 ? INT32_MAX : kLarge;
          EXPECT_EQ(taken({.op = op, .in = {random_ints(s, -bound, bound, type), scale}}), c.taken) << c.scale;
        }
      }
    }
  }
}

TEST_F(DeviceKernels, PriorBoxes) {
  for (const bool flip : {false, true}) {
    PriorBox op;
    op.min_sizes = {30, 60.5};
    op.max_sizes = flip ? Floats{60, 111} : Floats{};
    op.aspect_ratios = {1, 2, 0.4};
    op.variances = {0.1, 0.1, 0.2, 0.3};
    op.flip = op.min_max_aspect_ratios_order = flip;
    op.clip = !flip;
    op.step_w = op.step_h = flip ? 8 : 0;
    for (const Shape& map : {Shape{1, 3, 1, 1}, Shape{2, 1, 5, 13}, Shape{1, 1, 0, 4}}) {
      EXPECT_EQ(taken({.op = op, .in = {random_floats(map), random_floats({1, 3, 97, 211})}, .out_counts = {1, 1}}), 1);
    }
    op.aspect_ratios.clear();
    for (int i = 0; i < 20; ++i) op.aspect_ratios.push_back(2 + i);
    const Shape map{1, 1, 2, 2};
    EXPECT_EQ(taken({.op = op, .in = {random_floats(map), random_floats(map)}, .out_counts = {1, 1}}), 0);
  }
}

TEST_F(DeviceKernels, CodedBoxes) {
  const auto check = [&](BoxCode code, int axis, const Shape& target, int64_t priors) {
    BoxCoder op;
    op.code_type = code;
    op.axis = axis;
    for (const int variances : {0, 1, 2}) {  // none, four for all, four for each prior
      op.variance = variances == 1 ? Floats{0.1, 0.2, 0.3, 0.4} : Floats{};
      for (const bool normalized : {false, true}) {
        op.box_normalized = normalized;
        KernelCase c{.op = op, .in = {random_floats({priors, 4}, 0, 1)}, .relative = 1e-5, .absolute = 1e-5};
        // Boxes have a size that is well above 0.
        for (int64_t i = 0; i < priors * 4; ++i) c.in[0].data<float>()[i] += i % 4 < 2 ? 0.0F : 1.5F;
        if (variances == 2) c.in.push_back(random_floats({priors, 4}, 0.1, 0.3, 2));
        Tensor boxes = random_floats(target, -1, 1, 3);
        for (int64_t i = 0; i < boxes.count() && op.code_type == BoxCode::kEncode; ++i) {
          boxes.data<float>()[i] += i % 4 < 2 ? 0.0F : 2.5F;
        }
        c.in.push_back(boxes);
        c.in_counts = {1, variances == 2 ? 1 : 0, 1};
        EXPECT_EQ(taken(c), 1);
      }
    }
  };
  check(BoxCode::kEncode, 0, {5, 4}, 27);
  check(BoxCode::kEncode, 0, {0, 4}, 3);
  check(BoxCode::kDecode, 0, {3, 35, 4}, 35);
  check(BoxCode::kDecode, 1, {35, 2, 4}, 35);
  check(BoxCode::kDecode, 0, {1, 1, 4}, 1);
}

TEST_F(DeviceKernels, PositionsOfGrids) {
  for (const GridPadding padding : {GridPadding::kZeros, GridPadding::kBorder, GridPadding::kReflection}) {
    for (const bool align_corners : {false, true}) {
      const GridSample op{.padding_mode = padding, .align_corners = align_corners};
      Tensor grid = random_floats({1, 3, 4, 2}, -5, 5, 2);
      const float values[] = {NAN, INFINITY, -INFINITY, 1e30F, -1e30F, 1.0F, -1.0F, 0.0F};
      std::copy(std::begin(values), std::end(values), grid.data<float>());
      EXPECT_EQ(taken({.op = op, .in = {random_floats({1, 2, 5, 1}), grid}}), 1);
      EXPECT_EQ(taken({.op = op, .in = {random_floats({1, 2, 5, 6}), random_floats({1, 0, 4, 2})}}), 1);
    }
  }
  const YoloBox head{.anchors = {10, 13}};
  EXPECT_EQ(taken({.op = head,
                   .in = {random_floats({0, 6, 3, 3}), random_ints({0, 2}, 1, 9, DType::kInt32)},
                   .out_counts = {1, 1}}),
            1);
}

TEST_F(DeviceKernels, RecurrentLayersOfNothing) {
  Rnn rnn{.hidden_size = 3};
  for (const Shape& x : {Shape{0, 2, 5}, Shape{4, 0, 5}}) {
    KernelCase c{.op = rnn, .in = {random_floats(x), random_floats({1, x[1], 3})}};
    c.in.push_back(random_floats({3, 5}));
    c.in.push_back(random_floats({3, 3}));
    c.in_counts = {1, 1, 2};
    c.out_counts = {1, 0, 1};
    EXPECT_EQ(taken(c), 0) << "the reference takes them";
  }
}

/// Each step of an epilogue that products of float32 have.
TEST_F(DeviceKernels, Epilogues) {
  const auto steps = names_of(EpilogueKind::kRelu).size();
  for (size_t i = 0; i < steps; ++i) {
    if (static_cast<EpilogueKind>(i) == EpilogueKind::kAddIntegers) continue;  // of products of int8 alone
    Linear linear;
    linear.epilogue.push_back({static_cast<EpilogueKind>(i), 0.75F, 2.5F, 6.0F});
    linear.epilogue.push_back({EpilogueKind::kScaleShift, 0.5F, 0.25F, 0.0F});
    SCOPED_TRACE(names_of(EpilogueKind::kRelu)[i]);
    KernelCase c{.op = linear,
                 .in = {random_floats({5, 3, 20}, 0, 1), random_floats({20, 70}, 0, 0.5, 2)},
                 .in_counts = {1, 1, 0},
                 .relative = 1e-5,
                 .absolute = 1e-5};
    if (takes_tensor(static_cast<EpilogueKind>(i))) {
      const bool channel = i < 2;
      c.in.push_back(random_floats(channel ? Shape{70} : Shape{5, 3, 70}, -1, 1, 3));
      c.in_counts = {1, 1, 1};
    }
    EXPECT_EQ(taken(c), 1);
  }
}

TEST_F(DeviceKernels, DepthwiseTransposedConvolution) {
  DepthwiseConv2dTranspose op;
  op.groups = 6;
  op.strides = {2, 2};
  op.paddings = {1, 1};
  EXPECT_EQ(taken({op, {random_floats({2, 6, 5, 7}), random_floats({6, 1, 3, 3}, -1, 1, 2)}, {1, 1, 0}}), 1);
}

TEST_F(DeviceKernels, FirstVersionsOfInterpolation) {
  const auto check = [&](auto op, const Shape& s) {
    for (bool align_corners : {false, true}) {
      for (int align_mode : {0, 1}) {
        op.align_corners = align_corners;
        op.align_mode = align_mode;
        op.scale = {1.7};
        EXPECT_EQ(taken({.op = op, .in = {random_floats(s)}, .in_counts = {1, 0, 0, 0}, .absolute = 2e-6}), 1);
      }
    }
  };
  check(LegacyNearestInterp{}, {2, 3, 5, 7});
  check(LegacyBilinearInterp{}, {2, 3, 5, 7});
  check(LegacyBicubicInterp{}, {2, 3, 5, 7});
  check(LegacyLinearInterp{}, {2, 3, 7});
  check(LegacyTrilinearInterp{}, {2, 3, 4, 5, 7});
}

/// After all tests, if all were to run.
class EveryRow : public testing::Environment {
 public:
  void TearDown() override {
    DeviceKernelRunner* device = DeviceKernelRunner::under_test();
    if (device == nullptr || GTEST_FLAG_GET(filter) != "*" || std::getenv("GTEST_TOTAL_SHARDS") != nullptr) return;
    for (const KernelDef* kernel : device->all()) {
      EXPECT_TRUE(kernel->view || device->used().contains(kernel->name)) << kernel->name << " has not run";
    }
    std::printf("%s\n", device->summary().c_str());
  }
};
const testing::Environment* const kEveryRow = testing::AddGlobalTestEnvironment(new EveryRow);

}  // namespace
}  // namespace coracle::internal::test
