// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "devices/cpu/integer_cases.h"
#include "ops/quantize/integer_conv2d.h"
#include "ops/quantize/integer_linear.h"
#include "support/sanitized.h"

/// Products of integers with attributes, shapes and numbers by chance, on every kernel that takes them, are what the
/// reference computes exactly.
namespace coracle::internal::test {
namespace {

class Chance {
 public:
  explicit Chance(unsigned seed) : generator_(seed) {}
  int64_t from(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(generator_); }
  bool one_in(int64_t count) { return from(1, count) == 1; }
  template <class T, size_t kCount>
  const T& of(const T (&values)[kCount]) {
    return values[from(0, kCount - 1)];
  }

  /// Numbers of a range within [low, 127].
  Tensor integers(const Shape& shape, int64_t low) {
    const int64_t reach = of({5, 40, 64, 127});
    return random_ints(shape, std::max(low, -reach), reach + 1, DType::kInt8, static_cast<unsigned>(from(1, 1 << 20)));
  }

  /// A chain that is computed exactly, and what becomes of its results.
  void epilogue(IntegerProduct& op) {
    op.epilogue = of(kQuantizedChains);
    for (EpilogueStep& step : op.epilogue) {
      if (step.kind != EpilogueKind::kClip) continue;
      step.a = static_cast<float>(from(-2, 1));
      step.b = static_cast<float>(from(1, 8));
    }
    const Result& result = of(kResults);
    op.result_scale = result.scale == 0 ? 0 : result.scale * static_cast<float>(from(1, 4));
    op.round_type = result.rounding;
  }

 private:
  std::mt19937 generator_;
};

void check_convolution_by_chance(unsigned seed) {
  Chance chance(seed);
  IntegerConv2d op;
  op.transposed = chance.one_in(6);
  const int64_t groups = op.transposed || chance.one_in(2) ? 1 : chance.from(1, 20);
  const int64_t in = groups * (groups > 1 && chance.one_in(2) ? 1 : chance.from(1, 40 / groups + 1));
  const int64_t out = groups * (groups == in && chance.one_in(2) ? 1 : chance.from(1, 70 / groups));
  Ints kernel = {chance.from(1, 5), chance.from(1, 5)};
  const Ints size = {chance.from(1, 16), chance.from(1, 50)};
  op.groups = static_cast<int>(groups);
  if (op.transposed) {
    kernel = {chance.from(1, 3), chance.from(1, 3)};
    op.strides = kernel;
  } else {
    op.strides = {chance.from(1, 3), chance.from(1, 3)};
    op.dilations = {chance.from(1, 2), chance.from(1, 2)};
    if (chance.one_in(4)) {
      op.padding_algorithm = PaddingAlgorithm::kSame;
    } else {
      op.paddings.clear();
      for (size_t axis = 0; axis < 2; ++axis) {
        // No window is longer than the padded image.
        const int64_t missing = std::max<int64_t>(0, (kernel[axis] - 1) * op.dilations[axis] + 1 - size[axis]);
        op.paddings.push_back(missing + chance.from(0, 2));
        op.paddings.push_back(chance.from(0, 2));
      }
    }
  }
  chance.epilogue(op);
  const int64_t batch = chance.from(1, 2);
  const Shape x = {batch, in, size[0], size[1]};
  const Shape filter =
      op.transposed ? Shape{in, out, kernel[0], kernel[1]} : Shape{out, in / groups, kernel[0], kernel[1]};
  SCOPED_TRACE(text("seed ", seed, ", x ", x, ", filter ", filter));
  KernelCase c{.op = op, .in = {chance.integers(x, -128), chance.integers(filter, -127)}};
  finish(c, op.epilogue, convolution_result(op.geometry(x, filter), op.data_format, 2), out);
  EXPECT_GT(check_on_every_kernel(c), 0);
}

void check_product_by_chance(unsigned seed) {
  Chance chance(seed);
  IntegerLinear op;
  op.transpose_w = chance.one_in(2);
  chance.epilogue(op);
  const int64_t rows = chance.from(1, 120);
  const int64_t depth = chance.one_in(3) ? chance.from(200, 700) : chance.from(1, 80);
  const int64_t columns = chance.from(1, 100);
  SCOPED_TRACE(text("seed ", seed, ", ", rows, " x ", depth, " x ", columns));
  KernelCase c{.op = op,
               .in = {chance.integers({rows, depth}, -128),
                      chance.integers(op.transpose_w ? Shape{columns, depth} : Shape{depth, columns}, -127)}};
  finish(c, op.epilogue, {rows, columns}, columns);
  EXPECT_GT(check_on_every_kernel(c), 0);
}

TEST(IntegerAttributes, Convolutions) {
  for (int seed = 1; seed <= as_time_allows(250); ++seed) check_convolution_by_chance(static_cast<unsigned>(seed));
}

TEST(IntegerAttributes, Products) {
  for (int seed = 1; seed <= as_time_allows(100); ++seed) check_product_by_chance(static_cast<unsigned>(seed));
}

}  // namespace
}  // namespace coracle::internal::test
