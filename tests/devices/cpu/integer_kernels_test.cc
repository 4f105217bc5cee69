// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "devices/cpu/integer_cases.h"
#include "devices/cpu/isa.h"
#include "devices/cpu/isa/isa_test.h"
#include "devices/cpu/quantized_panels.h"
#include "devices/cpu/quantized_plan.h"
#include "ops/quantize/integer_linear.h"
#include "ops/quantize/to_int8.h"

namespace coracle::internal::test {
namespace {

void check_linear(int64_t rows, int64_t depth, int64_t columns, const Steps& steps, const Result& result,
                  bool transposed, bool largest) {
  SCOPED_TRACE(text(rows, " x ", depth, " x ", columns));
  IntegerLinear op;
  op.transpose_w = transposed;
  op.epilogue = steps;
  op.result_scale = result.scale;
  op.round_type = result.rounding;
  KernelCase c{.op = op,
               .in = {integers({rows, depth}, -128, 1, largest),
                      integers(transposed ? Shape{columns, depth} : Shape{depth, columns}, -127, 2, largest)}};
  if (rows * depth * columns > 0) c.kernels = {"integer_linear"};
  finish(c, steps, {rows, columns}, columns);
  check_on_every_kernel(c);
}

/// Behind hard_swish a factor is applied where the sums are finished. References round otherwise by a step at most.
TEST(IntegerKernels, FactorsBehindHardSwish) {
  const EpilogueStep hard_swish{EpilogueKind::kHardSwish, 3, 6, 6};
  const EpilogueStep scale_shift{EpilogueKind::kScaleShift, 0.75F, -0.125F};
  for (const Steps& middle : {Steps{hard_swish}, Steps{hard_swish, scale_shift}}) {
    for (const int64_t columns : {3, 16, 37}) {
      IntegerLinear op;
      op.epilogue = {kMultiplyChannel, kAddChannel};
      op.epilogue.insert(op.epilogue.end(), middle.begin(), middle.end());
      op.epilogue.push_back(kMultiplyChannel);
      op.result_scale = 1.75F;
      op.round_type = QuantizationRounding::kHalfToEven;
      KernelCase c{.op = op,
                   .in = {integers({25, 40}, -128, 1, false), integers({40, columns}, -127, 2, false)},
                   .kernels = {"integer_linear"}};
      finish(c, op.epilogue, {25, columns}, columns);
      c.absolute = 1;
      check_on_every_kernel(c);
    }
  }
}

/// Clips that begin at zero, above and below it, and hard_swish, also for factors, biases and residuals that are no
/// numbers. Rounded results of the references are 0 for NaN.
TEST(IntegerKernels, RoundedResultsOfFunctions) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  const float odd[] = {kNaN, kInf, -kInf, 3e38F, -3e38F, 0, 1e-40F};
  const EpilogueStep clips[] = {kRelu,
                                kRelu6,
                                {EpilogueKind::kClip, 1e-4F, 3},
                                {EpilogueKind::kClip, -1e-4F, kInf},
                                {EpilogueKind::kClip, 0.5F, 3},
                                {EpilogueKind::kClip, -2, 0.5F},
                                {EpilogueKind::kClip, -kInf, kInf},
                                {EpilogueKind::kHardSwish, 3, 6, 6},
                                {EpilogueKind::kHardSwish, 300, 600, 600},
                                {EpilogueKind::kClip, -kInf, 0.25F}};
  for (const EpilogueStep& clip : clips) {
    for (const auto& [special, term] : {std::pair{false, false}, {true, false}, {true, true}}) {
      for (const float scale : {20.0F, 1.75F}) {
        for (const auto rounding : {QuantizationRounding::kHalfToEven, QuantizationRounding::kHalfAwayFromZero}) {
          SCOPED_TRACE(text("clip ", clip.a, " to ", clip.b, ", special ", special, ", scale ", scale));
          IntegerLinear op;
          op.epilogue = {kMultiplyChannel, kAddChannel};
          if (term) op.epilogue.push_back(kAddTensor);
          op.epilogue.push_back(clip);
          op.result_scale = scale;
          op.round_type = rounding;
          KernelCase c{.op = op,
                       .in = {integers({15, 40}, -128, 1, false), integers({40, 37}, -127, 2, false)},
                       .kernels = {"integer_linear"}};
          finish(c, op.epilogue, {15, 37}, 37);
          if (special) {
            for (size_t i = 0; i < std::size(odd); ++i) {
              c.in[2].data<float>()[3 + 2 * i] = odd[i];
              c.in[3].data<float>()[i] = odd[i];
              c.in[3].data<float>()[20 + i] = odd[i];
              if (term) c.in[4].data<float>()[30 * i + 5] = odd[i];
            }
          }
          if (clip.kind == EpilogueKind::kHardSwish) c.absolute = 1;  // the reference rounds otherwise
          check_on_every_kernel(c);
        }
      }
    }
  }
}

TEST(IntegerKernels, Products) {
  for (const int64_t rows : {0, 1, 5, 12, 25}) {
    for (const int64_t depth : {1, 2, 3, 4, 31, 130}) {
      for (const int64_t columns : {1, 7, 16, 17, 33, 70}) {
        const bool transposed = (rows + depth + columns) % 2 == 0;
        check_linear(rows, depth, columns, {kMultiplyChannel, kAddChannel}, kResults[(depth + columns) % 4], transposed,
                     columns % 2 == 0);
      }
    }
  }
}

struct ComputedProduct {
  Shape x, w;
  bool transposed;
};

/// Operand 1 is computed: any int8 numbers. `largest`: many of the least, in both.
void check_computed(const ComputedProduct& p, const Steps& steps, const Result& result, int64_t low, bool largest) {
  SCOPED_TRACE(text(p.x, " x ", p.w, p.transposed ? " transposed" : ""));
  IntegerLinear op;
  op.transpose_w = p.transposed;
  op.epilogue = steps;
  op.result_scale = result.scale;
  op.round_type = result.rounding;
  const Shape answer = matrix_product_shape(p.x, p.w, false, p.transposed);
  KernelCase c{
      .op = op, .in = {integers(p.x, low, 1, largest), integers(p.w, -128, 2, largest)}, .computed_weights = true};
  if (answer.count() > 0 && p.x.count() > 0) c.kernels = {"integer_linear.computed"};
  finish(c, steps, answer, answer.back());
  check_on_every_kernel(c);
}

TEST(IntegerKernels, ProductsOfComputedMatrices) {
  const ComputedProduct cases[] = {
      {{3, 5, 8}, {3, 8, 7}, false},
      {{2, 3, 13, 64}, {2, 3, 21, 64}, true},
      {{2, 3, 4, 9}, {9, 33}, false},
      {{2, 1, 5, 6}, {3, 17, 6}, true},
      {{5, 6}, {4, 6, 16}, false},
      {{7, 6}, {40, 6}, true},
      {{6}, {6, 5}, false},
      {{6}, {2, 5, 6}, true},
      {{2, 1, 1}, {2, 1, 1}, true},
      {{2, 12, 31}, {1, 31, 70}, false},
      {{1, 2, 0}, {1, 0, 3}, false},
      {{2, 0, 4}, {2, 4, 3}, false},
      {{2, 2, 4}, {2, 0, 4}, true},
      {{4, 1, 130}, {4, 130, 18}, false},
      {{1, 90, 40}, {1, 40, 97}, false},
      {{1, 2, 25, 15}, {1, 2, 25, 15}, true},
      {{3, 2, 3}, {3, 3, 1}, false},
  };
  const Steps scaled = {{EpilogueKind::kScaleShift, 3e-4F, 0}};
  int which = 0;
  for (const ComputedProduct& p : cases) {
    for (const int64_t low : {-128, 0}) {
      for (const bool largest : {false, true}) {
        check_computed(p, scaled, kResults[which % 4], low, largest);
        ++which;
      }
    }
  }
}

TEST(IntegerKernels, EpiloguesOfProductsOfComputedMatrices) {
  for (const Steps& steps : kQuantizedChains) {
    for (const Result& result : kResults) check_computed({{2, 13, 40}, {2, 40, 37}, false}, steps, result, -128, false);
  }
}

TEST(IntegerKernels, LongSumsOfComputedNumbersAreExact) {
  check_computed({{1, 2, 1040}, {1, 1040, 18}, false}, {}, kResults[0], -128, true);
  check_computed({{2, 40, 1040}, {2, 130, 1040}, true}, {}, kResults[0], -128, true);
}

TEST(IntegerKernels, EpiloguesOfProducts) {
  for (const Steps& steps : kQuantizedChains) {
    for (const Result& result : kResults) check_linear(13, 40, 37, steps, result, false, false);
  }
}

/// Where few numbers reach far, these are multiplied apart.
TEST(IntegerKernels, ProductsOfFewNumbersThatReachFar) {
  for (const int64_t apart : {5, 17, 60, 1000}) {
    for (const auto& [low, high] : {std::pair<int64_t, int64_t>{-60, 61}, {0, 90}, {-100, 1}}) {
      for (const int64_t rows : {1, 6, 25}) {
        for (const int64_t depth : {126, 130, 804}) {
          SCOPED_TRACE(text("every ", apart, " of ", low, " to ", high, ", ", rows, " x ", depth));
          Tensor x = random_ints({rows, depth}, low, high, DType::kInt8, 1);
          for (int64_t i = 0; i < x.count(); i += apart) x.data<int8_t>()[i] = i % 2 == 0 ? 127 : -128;
          IntegerLinear op;
          op.epilogue = {kMultiplyChannel};
          KernelCase c{.op = op, .in = {x, integers({depth, 70}, -127, 2, apart == 17)}, .kernels = {"integer_linear"}};
          finish(c, op.epilogue, {rows, 70}, 70);
          check_on_every_kernel(c);
        }
      }
    }
  }
}

TEST(IntegerKernels, LongSumsOfTheLargestNumbersAreExact) {
  check_linear(2, 1040, 18, {}, kResults[0], false, true);
  check_linear(40, 1040, 130, {kMultiplyChannel}, kResults[1], true, true);
}

TEST(IntegerKernels, Rounding) {
  // Halves of both signs, numbers beyond the range, and what is no number.
  std::vector<float> numbers = {0,    0.5F,   -0.5F,   1.5F, -1.5F,   2.5F, -2.5F, 126.5F, -126.5F, 127,
                                -127, 127.5F, -127.5F, -128, -128.5F, 1000, -1000, 3e38F,  -3e38F,  1e-40F};
  numbers.push_back(std::numeric_limits<float>::quiet_NaN());
  numbers.push_back(std::numeric_limits<float>::infinity());
  numbers.push_back(-std::numeric_limits<float>::infinity());
  // In each place of vectors that are rounded together.
  const size_t distinct = numbers.size();
  while (numbers.size() < 64 * distinct) numbers.push_back(numbers[numbers.size() % distinct]);
  const Tensor x = Tensor::of<float>(Shape{static_cast<int64_t>(numbers.size())}, numbers);
  for (const auto rounding : {QuantizationRounding::kHalfToEven, QuantizationRounding::kHalfAwayFromZero}) {
    for (const float scale : {127.0F, 3.7F, 1e-3F}) {
      KernelCase c{.op = ToInt8{.scale = scale, .round_type = rounding}, .in = {x}, .kernels = {"to_int8"}};
      c.relative = c.absolute = 0;
      check_on_every_kernel(c);
    }
  }
  EXPECT_EQ(quantized_to_int8(2.5F, 127, QuantizationRounding::kHalfToEven), 2);
  EXPECT_EQ(quantized_to_int8(2.5F, 127, QuantizationRounding::kHalfAwayFromZero), 3);
  EXPECT_EQ(quantized_to_int8(-1000, 127, QuantizationRounding::kHalfToEven), -128);
  EXPECT_EQ(quantized_to_int8(-1000, 127, QuantizationRounding::kHalfAwayFromZero), -127);
}

TEST(IntegerKernels, RoundingOfScaledChannels) {
  for (const Shape& x : {Shape{2, 37, 5, 7}, Shape{1, 16, 30, 30}, Shape{2, 5000, 1, 3}, Shape{3, 1, 4, 4}}) {
    for (const int64_t images : {int64_t{1}, x[0]}) {
      for (const auto rounding : {QuantizationRounding::kHalfToEven, QuantizationRounding::kHalfAwayFromZero}) {
        KernelCase c{.op = ToInt8{.scale = 1.5F, .round_type = rounding},
                     .in = {random_floats(x), random_floats({images, x[1], 1, 1}, 0, 1, 2)},
                     .kernels = {"to_int8.channels"}};
        c.relative = c.absolute = 0;
        check_on_every_kernel(c);
      }
    }
  }
}

/// As a table takes it.
std::vector<std::byte> packed_matrix(const cpu::QuantizedGemmFunctions& f, const cpu::QuantizedGemmForm& form,
                                     const Tensor& b) {
  return cpu::with_form_for(f, form, [&](const auto& of_table) {
    std::vector<std::byte> packed(of_table.bytes());
    ThreadPool pool(1);
    const Tensor* constants[] = {&b};
    of_table.pack(constants, packed.data(), pool);
    return packed;
  });
}

// For every table, also those of processors that this one is not.
TEST(IntegerKernels, ComputedMatricesArePackedAsConstantOnesAre) {
  struct Table {
    int64_t lanes, element_bytes, group_bytes = 4;
  };
  std::vector<Table> tables = {{4, 2}, {8, 2}, {16, 2}, {16, 1}};
#if defined(__aarch64__)
  tables.insert(tables.end(), {{4, 1}, {4, 1, 8}});
#endif
  for (const auto& [lanes, element_bytes, group_bytes] : tables) {
    for (const int64_t depth : {1, 2, 3, 4, 9, 31, 64}) {
      for (const int64_t columns : {1, 7, 16, 17, 33, 70}) {
        for (const bool transposed : {false, true}) {
          SCOPED_TRACE(text(lanes, " lanes of ", element_bytes, " in ", group_bytes, ", ", depth, " x ", columns, ", ",
                            transposed));
          const Tensor b = random_ints({depth, columns}, -128, 128, DType::kInt8, 3);
          cpu::QuantizedGemmFunctions functions;
          functions.lanes = lanes;
          functions.element_bytes = element_bytes;
          functions.group_bytes = group_bytes;
          const cpu::QuantizedMatrix matrix = {.data = b.data<int8_t>(),
                                               .depth = depth,
                                               .columns = columns,
                                               .inner_stride = transposed ? 1 : columns,
                                               .column_stride = transposed ? depth : 1};
          cpu::QuantizedGemmForm form;
          form.depth = depth;
          form.columns = columns;
          form.inner_stride = matrix.inner_stride;
          form.column_stride = matrix.column_stride;
          const std::vector<std::byte> constant = packed_matrix(functions, form, b);
          std::vector<uint32_t> computed(cpu::packed_bytes(functions, matrix) / 4, 0xabababab);
          for (int64_t p = 0; p < functions.panels(columns); ++p) pack_panel(functions, matrix, p, computed.data());
          ASSERT_LE(computed.size() * 4, constant.size());
          EXPECT_EQ(std::memcmp(computed.data(), constant.data(), computed.size() * 4), 0);
        }
      }
    }
  }
}

/// C of one call in float32, with rows split in two.
std::vector<float> integer_product(const cpu::QuantizedGemmFunctions& f, const Tensor& a, const Tensor& b) {
  const int64_t rows = a.shape()[0];
  const int64_t depth = a.shape()[1];
  const int64_t columns = b.shape()[1];
  cpu::QuantizedGemmForm form;
  form.depth = depth;
  form.columns = columns;
  form.inner_stride = columns;
  form.column_stride = 1;
  const std::vector<std::byte> packed = packed_matrix(f, form, b);
  std::vector<char> scratch(static_cast<size_t>(f.scratch_bytes(depth)));
  std::vector<float> c(static_cast<size_t>(rows * columns), -1);
  cpu::QuantizedGemmCall call;
  call.depth = depth;
  call.columns = columns;
  call.a = a.data<int8_t>();
  call.a_stride = depth;
  call.packed = packed.data();
  call.scratch = scratch.data();
  call.result.data = c.data();
  call.result.stride = columns;
  f.run(call, 0, rows / 2, 0, f.panels(columns));
  f.run(call, rows / 2, rows, 0, f.panels(columns));
  return c;
}

// Also those tables that this machine has better ones for.
TEST(IntegerKernels, EveryTableGivesExactSums) {
  struct Numbers {
    int64_t depth, low, high, weight;
  };
  // Of each size that a table may treat in its own way.
  const Numbers cases[] = {{1, -128, 128, 127}, {3, -128, 128, 127}, {8, -128, 128, 127}, {61, -128, 128, 127},
                           {61, 0, 128, 127},   {40, -20, 90, 127},  {61, -20, 90, 60},   {72, 0, 60, 127},
                           {77, 0, 128, 30},    {64, -1, 128, 127},  {33, -128, 128, 10}};
  for (const auto& [depth, low, high, weight] : cases) {
    const Tensor a =
        depth == 8 ? integers({15, depth}, low, 1, true) : random_ints({15, depth}, low, high, DType::kInt8, 1);
    const Tensor b = depth == 8 ? integers({depth, 45}, -127, 2, true)
                                : random_ints({depth, 45}, -weight, weight + 1, DType::kInt8, 2);
    std::vector<float> want;
    for (int64_t r = 0; r < 15; ++r) {
      for (int64_t c = 0; c < 45; ++c) {
        int64_t sum = 0;
        for (int64_t k = 0; k < depth; ++k)
          sum += int64_t{a.data<int8_t>()[r * depth + k]} * b.data<int8_t>()[k * 45 + c];
        want.push_back(static_cast<float>(sum));
      }
    }
    for (const cpu::Isa isa : cpu::tested_isas()) {
      EXPECT_EQ(integer_product(cpu::quantized_gemm_table(isa), a, b), want) << name_of(isa);
      EXPECT_EQ(integer_product(cpu::machine_quantized_gemm(isa), a, b), want) << name_of(isa);
      EXPECT_EQ(integer_product(cpu::any_quantized_gemm(isa), a, b), want) << name_of(isa);
    }
  }
}

}  // namespace
}  // namespace coracle::internal::test
