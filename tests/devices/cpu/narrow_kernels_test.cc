// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "ops/conv_pool/conv2d_fused.h"
#include "ops/matmul/linear.h"
#include "ops/quantize/llm_int8_linear.h"
#include "ops/quantize/weight_only_linear.h"
#include "ops/quantize/weight_quantize.h"
#include "support/check_kernels.h"

/// Products of float32 with weights in 16, 8 and 4 bits.
namespace coracle::internal::test {
namespace {

using KernelNames = std::set<std::string>;

Tensor weights(const Shape& shape, DType dtype, unsigned seed = 1) {
  if (dtype == DType::kInt8) return random_ints(shape, -128, 128, dtype, seed);
  Tensor t = Tensor::make(dtype, shape);
  t.assign(random_floats(shape, -1, 1, seed).doubles());
  return t;
}

double tolerance(DType dtype) { return dtype == DType::kInt8 ? 5e-3 : 5e-5; }

/// The largest int8 numbers, and the first that float16 has, are read with the sign and the exponent that they have.
Tensor extremes(const Shape& shape, DType dtype) {
  Tensor t = Tensor::make(dtype, shape);
  std::vector<double> values(static_cast<size_t>(shape.count()));
  const double half[] = {65504, -65504, 0x1p-24, -0x1p-24, 0, 0x1p-14, 1, -0x1.ffcp-15};
  const double byte[] = {-128, 127, -127, 0, 1, -1, 64, -64};
  for (size_t i = 0; i < values.size(); ++i) values[i] = (dtype == DType::kInt8 ? byte : half)[i * 5 % 8];
  t.assign(std::span<const double>(values));
  return t;
}

TEST(NarrowKernels, LinearOfAnySize) {
  const int64_t sizes[][3] = {{1, 1, 1},    {1, 7, 16},   {2, 33, 17},   {3, 64, 8},    {4, 5, 32},
                              {5, 40, 33},  {1, 70, 64},  {1, 3, 130},   {7, 129, 24},  {16, 33, 65},
                              {17, 64, 48}, {60, 20, 40}, {1, 1600, 80}, {9, 400, 100}, {130, 17, 96}};
  for (const DType dtype : {DType::kFloat16, DType::kBfloat16, DType::kInt8}) {
    for (const auto& [rows, depth, columns] : sizes) {
      for (const bool transpose : {false, true}) {
        Linear op;
        op.transpose_w = transpose;
        const Shape w = transpose ? Shape{columns, depth} : Shape{depth, columns};
        const Tensor x = random_floats({rows, depth}, -1, 1, 3);
        EXPECT_EQ(kernels_that_take({.op = op,
                                     .in = {x, weights(w, dtype)},
                                     .in_counts = {1, 1, 0},
                                     .relative = tolerance(dtype),
                                     .absolute = tolerance(dtype)}),
                  KernelNames{"linear.narrow"})
            << rows << " " << depth << " " << columns;
      }
    }
  }
}

TEST(NarrowKernels, LinearWithEpilogues) {
  const std::vector<EpilogueStep> chains[] = {
      {{EpilogueKind::kAddChannel}},
      {{EpilogueKind::kMultiplyChannel}, {EpilogueKind::kAddChannel}, {EpilogueKind::kRelu}},
      {{EpilogueKind::kAddChannel}, {EpilogueKind::kAddTensor}, {EpilogueKind::kRelu}},
      {{EpilogueKind::kAddChannel}, {EpilogueKind::kHardSwish, 3, 6, 6}},
      {{EpilogueKind::kMultiplyChannel}, {EpilogueKind::kGelu}},
  };
  for (const DType dtype : {DType::kFloat16, DType::kBfloat16, DType::kInt8}) {
    for (const int64_t rows : {1, 3, 6, 50}) {
      for (const auto& chain : chains) {
        Linear op;
        op.epilogue = chain;
        std::vector<Tensor> in = {random_floats({rows, 30}, -1, 1, 3), weights({30, 70}, dtype)};
        int tensors = 0;
        for (const EpilogueStep& step : chain) {
          if (!takes_tensor(step.kind)) continue;
          ++tensors;
          const bool whole = step.kind == EpilogueKind::kAddTensor;
          in.push_back(random_floats(whole ? Shape{rows, 70} : Shape{70}, -1, 1, 9U + static_cast<unsigned>(tensors)));
        }
        EXPECT_EQ(kernels_that_take({.op = op,
                                     .in = in,
                                     .in_counts = {1, 1, tensors},
                                     .relative = tolerance(dtype),
                                     .absolute = tolerance(dtype)}),
                  KernelNames{"linear.narrow"});
      }
    }
  }
}

TEST(NarrowKernels, ExtremeNumbersAreExact) {
  for (const DType dtype : {DType::kFloat16, DType::kInt8}) {
    for (const int64_t rows : {1, 2, 30}) {
      // Of a sum, one product is not zero.
      Tensor x = Tensor::of<float>({rows, 8}, std::vector<float>(static_cast<size_t>(rows * 8), 0.0F));
      for (int64_t r = 0; r < rows; ++r) x.data<float>()[r * 8 + r % 8] = 1;
      EXPECT_EQ(kernels_that_take({.op = Linear{},
                                   .in = {x, extremes({8, 72}, dtype)},
                                   .in_counts = {1, 1, 0},
                                   .relative = 0,
                                   .absolute = 0}),
                KernelNames{"linear.narrow"});
    }
  }
}

TEST(NarrowKernels, Convolutions) {
  struct Case {
    Shape x, w;
    Ints strides;
    std::vector<int> paddings;
  };
  const Case cases[] = {
      {{1, 16, 7, 9}, {40, 16, 1, 1}, {1, 1}, {0, 0}}, {{2, 3, 12, 11}, {36, 3, 3, 3}, {2, 2}, {1, 1}},
      {{1, 8, 6, 6}, {64, 8, 3, 3}, {1, 1}, {1, 1}},   {{1, 24, 1, 1}, {96, 24, 1, 1}, {1, 1}, {0, 0}},
      {{1, 20, 9, 5}, {33, 20, 5, 5}, {1, 2}, {2, 2}}, {{3, 40, 1, 1}, {7, 40, 1, 1}, {1, 1}, {0, 0}},
      {{1, 16, 4, 5}, {32, 16, 1, 1}, {2, 2}, {0, 0}}, {{1, 64, 26, 25}, {72, 64, 3, 3}, {1, 1}, {1, 1}},
  };
  for (const DType dtype : {DType::kFloat16, DType::kBfloat16, DType::kInt8}) {
    for (const Case& c : cases) {
      Conv2dFused op;
      op.strides.assign(c.strides.begin(), c.strides.end());
      op.paddings.assign(c.paddings.begin(), c.paddings.end());
      op.epilogue = {{EpilogueKind::kMultiplyChannel}, {EpilogueKind::kAddChannel}, {EpilogueKind::kRelu}};
      const Shape channels{c.w[0]};
      // Winograd's algorithm, which filters of so many channels may get, enlarges errors.
      const bool by_winograd = dtype != DType::kInt8 && c.w[3] == 3 && c.w[1] >= 64;
      const double bound = (by_winograd ? 8 : 2) * tolerance(dtype);
      KernelNames taken = kernels_that_take({.op = op,
                                             .in = {random_floats(c.x, -1, 1, 5), weights(c.w, dtype),
                                                    random_floats(channels), random_floats(channels, -1, 1, 2)},
                                             .in_counts = {1, 1, 2},
                                             .relative = bound,
                                             .absolute = bound});
      // Filters of 16 bits are packed in float32, too.
      KernelNames expected{"conv2d.narrow"};
      if (dtype != DType::kInt8) expected.insert("conv2d.indirect");
      if (dtype != DType::kInt8) {
        taken.erase("conv2d.winograd_4x4");
        taken.erase("conv2d.winograd_2x2");
      }
      EXPECT_EQ(taken, expected) << text(c.x) << " " << text(c.w);
    }
  }
}

/// `whole` [k, n] packed as a file has it.
Tensor packed(const WeightPacking& packing, int64_t rows, int64_t columns, unsigned seed) {
  const int64_t most = packing.bits == 4 ? 8 : 128;
  const Tensor numbers = random_ints({rows, columns}, -most, most, DType::kInt8, seed);
  const std::vector<int8_t> whole(numbers.data<int8_t>(), numbers.data<int8_t>() + numbers.count());
  Tensor out = Tensor::make(DType::kInt8, Shape{columns * packing.bits / 8, rows});
  pack_weight(packing, whole, rows, columns, out.data<int8_t>());
  return out;
}

TEST(NarrowKernels, WeightOnlyLinear) {
  for (const char* type : {"int8", "int4"}) {
    for (const int arch : {70, 80}) {
      for (const int group : {-1, 64, 128}) {
        for (const int64_t rows : {1, 4, 5, 40}) {
          for (const int64_t columns : {8, 64, 72, 136}) {
            WeightOnlyLinear op;
            op.weight_dtype = type;
            op.arch = arch;
            op.group_size = group;
            const int64_t depth = 192;
            const int64_t groups = group < 0 ? 1 : (depth + group - 1) / group;
            const Shape scales = group < 0 ? Shape{columns} : Shape{groups, columns};
            EXPECT_EQ(kernels_that_take(
                          {.op = op,
                           .in = {random_floats({rows, depth}, -1, 1, 2), packed(op.packing(), depth, columns, 7),
                                  random_floats({columns}), random_floats(scales, 0.001, 0.01, 4)},
                           .relative = 2e-5,
                           .absolute = 2e-5}),
                      KernelNames{"weight_only_linear"})
                << type << " " << arch << " " << group << " " << rows << " " << columns;
          }
        }
      }
    }
  }
}

TEST(NarrowKernels, LlmInt8Linear) {
  for (const int64_t rows : {1, 3, 20}) {
    for (const int64_t columns : {1, 33, 64}) {
      const Tensor w = packed(weight_packing("llm.int8", 80), 50, columns, 3);
      EXPECT_EQ(
          kernels_that_take({.op = LlmInt8Linear{},
                             .in = {random_floats({rows, 50}, -1, 1, 2), w, random_floats({columns}, 0.001, 0.01, 4)},
                             .in_counts = {1, 1, 0, 1},
                             .relative = 2e-5,
                             .absolute = 2e-5}),
          KernelNames{"llm_int8_linear"});
    }
  }
}

}  // namespace
}  // namespace coracle::internal::test
