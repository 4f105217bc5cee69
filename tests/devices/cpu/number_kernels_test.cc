// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "devices/cpu/isa.h"
#include "devices/cpu/kernels/elementwise/numbers.h"
#include "ops/activation/abs.h"
#include "ops/activation/isfinite.h"
#include "ops/activation/isinf.h"
#include "ops/activation/isnan.h"
#include "ops/activation/negative.h"
#include "ops/elementwise/add.h"
#include "ops/elementwise/add_n.h"
#include "ops/elementwise/clip.h"
#include "ops/elementwise/divide.h"
#include "ops/elementwise/floor_divide.h"
#include "ops/elementwise/maximum.h"
#include "ops/elementwise/minimum.h"
#include "ops/elementwise/multiply.h"
#include "ops/elementwise/remainder.h"
#include "ops/elementwise/scale.h"
#include "ops/elementwise/subtract.h"
#include "ops/elementwise/sum.h"
#include "ops/index/where.h"
#include "ops/logic/bitwise_and.h"
#include "ops/logic/bitwise_not.h"
#include "ops/logic/bitwise_or.h"
#include "ops/logic/bitwise_xor.h"
#include "ops/logic/equal.h"
#include "ops/logic/equal_all.h"
#include "ops/logic/greater_equal.h"
#include "ops/logic/greater_than.h"
#include "ops/logic/less_equal.h"
#include "ops/logic/less_than.h"
#include "ops/logic/logical_and.h"
#include "ops/logic/logical_not.h"
#include "ops/logic/logical_or.h"
#include "ops/logic/logical_xor.h"
#include "ops/logic/not_equal.h"
#include "ops/reduce/all.h"
#include "ops/reduce/amax.h"
#include "ops/reduce/any.h"
#include "ops/reduce/argmax.h"
#include "ops/reduce/argmin.h"
#include "ops/reduce/frobenius_norm.h"
#include "ops/reduce/max.h"
#include "ops/reduce/min.h"
#include "ops/reduce/norm.h"
#include "ops/reduce/p_norm.h"
#include "ops/reduce/prod.h"
#include "support/check_kernels.h"

namespace coracle::internal::test {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

const std::pair<Shape, Shape> kPairs[] = {
    {{}, {}},
    {{1}, {1}},
    {{0}, {0}},
    {{131}, {131}},
    {{3, 67}, {67}},
    {{3, 67}, {3, 1}},
    {{3, 67}, {1}},
    {{33, 1}, {1, 18}},
    {{2, 0, 3}, {2, 1, 3}},
    {{2, 1, 3, 1, 5}, {4, 1, 6, 1}},
    {{2, 19, 5, 7}, {1, 19, 1, 1}},
    {{30, 70, 33}, {30, 70, 33}},
};

void check_pairs(const Op& op, const std::string& row, std::initializer_list<DType> types, bool special = false) {
  for (DType type : types) {
    for (const auto& [a, b] : kPairs) {
      const Tensor x = random_numbers(a, type, 1, special);
      const Tensor y = random_numbers(b, type, 2, special);
      check_on_every_kernel({.op = op, .in = {x, y}, .kernels = {row}});
      check_on_every_kernel({.op = op, .in = {y, x}, .kernels = {row}});
    }
  }
}

TEST(NumberKernels, RowsNameTheTypesThatHaveLoops) {
  using cpu::kernels::number_type;
  for (int t = 0; t < static_cast<int>(DType::kUnknown); ++t) {
    const auto dtype = static_cast<DType>(t);
    const auto type = number_type(dtype);
    for (int k = 0; k <= static_cast<int>(cpu::NumberBinaryKind::kLogicalXor); ++k) {
      const auto kind = static_cast<cpu::NumberBinaryKind>(k);
      const bool has = type && cpu::number_binary_table(cpu::Isa::kAny).loops(kind, *type).same != nullptr;
      EXPECT_EQ(cpu::kernels::binary_types(kind).has(dtype), has) << k << " of " << name_of(dtype);
    }
    for (int k = 0; k <= static_cast<int>(cpu::NumberUnaryKind::kIsFinite); ++k) {
      const auto kind = static_cast<cpu::NumberUnaryKind>(k);
      const bool has = type && cpu::number_unary_table(cpu::Isa::kAny).loop(kind, *type) != nullptr;
      EXPECT_EQ(cpu::kernels::unary_types(kind).has(dtype), has) << k << " of " << name_of(dtype);
    }
  }
}

TEST(NumberKernels, Arithmetic) {
  const auto types = {DType::kInt64, DType::kInt32, DType::kInt16, DType::kInt8, DType::kUint8};
  check_pairs(Add{}, "add.numbers", types);
  check_pairs(Subtract{}, "subtract.numbers", types);
  check_pairs(Multiply{}, "multiply.numbers", types);
  check_pairs(Divide{}, "divide.numbers", types);
  check_pairs(Maximum{}, "maximum.numbers", types);
  check_pairs(Minimum{}, "minimum.numbers", types);
  check_pairs(FloorDivide{}, "floor_divide.numbers", types);
  check_pairs(Remainder{}, "remainder.numbers", types);
}

TEST(NumberKernels, ArithmeticWrapsAroundAndDividesByZero) {
  const int64_t large[] = {
      INT64_MIN, INT64_MAX, -1, 0, 1, INT64_MIN + 1, (int64_t{1} << 52) + 1, -(int64_t{1} << 53) - 1, 7};
  std::vector<int64_t> left;
  std::vector<int64_t> right;
  for (int64_t a : large) {
    for (int64_t b : large) {
      left.push_back(a);
      right.push_back(b);
    }
  }
  const Tensor x = Tensor::ints(left);
  const Tensor y = Tensor::ints(right);
  const int32_t narrow[] = {INT32_MIN, INT32_MAX, -1, 0, 1, 7};
  std::vector<int32_t> narrow_left;
  std::vector<int32_t> narrow_right;
  for (int32_t a : narrow) {
    for (int32_t b : narrow) {
      narrow_left.push_back(a);
      narrow_right.push_back(b);
    }
  }
  const Tensor narrow_x = Tensor::of<int32_t>({36}, narrow_left);
  const Tensor narrow_y = Tensor::of<int32_t>({36}, narrow_right);
  for (const Op& op : {Op(Add{}), Op(Subtract{}), Op(Multiply{}), Op(Divide{}), Op(FloorDivide{}), Op(Remainder{})}) {
    const std::string row = std::string(op.name()) + ".numbers";
    check_on_every_kernel({.op = op, .in = {x, y}, .kernels = {row}});
    check_on_every_kernel({.op = op, .in = {narrow_x, narrow_y}, .kernels = {row}});
  }
  for (const Op& op : {Op(Abs{}), Op(Negative{})}) {
    const Tensor small = random_ints({200}, -1000, 1000, DType::kInt64);
    check_on_every_kernel({.op = op, .in = {small}, .kernels = {std::string(op.name()) + ".numbers"}});
  }
}

TEST(NumberKernels, Comparisons) {
  const auto types = {DType::kFloat32, DType::kInt64, DType::kInt32, DType::kUint8, DType::kBool};
  check_pairs(Equal{}, "equal.numbers", types, true);
  check_pairs(NotEqual{}, "not_equal.numbers", types, true);
  check_pairs(LessThan{}, "less_than.numbers", types, true);
  check_pairs(LessEqual{}, "less_equal.numbers", types, true);
  check_pairs(GreaterThan{}, "greater_than.numbers", types, true);
  check_pairs(GreaterEqual{}, "greater_equal.numbers", types, true);
  check_pairs(LogicalAnd{}, "logical_and.numbers", types, true);
  check_pairs(LogicalOr{}, "logical_or.numbers", types, true);
  check_pairs(LogicalXor{}, "logical_xor.numbers", types, true);
}

TEST(NumberKernels, BitsAndKinds) {
  const auto types = {DType::kInt64, DType::kInt32, DType::kInt8, DType::kUint8, DType::kBool};
  check_pairs(BitwiseAnd{}, "bitwise_and.numbers", types);
  check_pairs(BitwiseOr{}, "bitwise_or.numbers", types);
  check_pairs(BitwiseXor{}, "bitwise_xor.numbers", types);
  for (const Shape& s : {Shape{}, Shape{0}, Shape{1}, Shape{77}, Shape{3, 67, 31, 17}}) {
    for (DType type : types) {
      check_on_every_kernel(
          {.op = BitwiseNot{}, .in = {random_numbers(s, type, 1)}, .kernels = {"bitwise_not.numbers"}});
      check_on_every_kernel(
          {.op = LogicalNot{}, .in = {random_numbers(s, type, 1)}, .kernels = {"logical_not.numbers"}});
    }
    const Tensor x = random_numbers(s, DType::kFloat32, 1, true);
    check_on_every_kernel({.op = Isnan{}, .in = {x}, .kernels = {"isnan.numbers"}});
    check_on_every_kernel({.op = Isinf{}, .in = {x}, .kernels = {"isinf.numbers"}});
    check_on_every_kernel({.op = Isfinite{}, .in = {x}, .kernels = {"isfinite.numbers"}});
  }
}

TEST(NumberKernels, Where) {
  const std::array<Shape, 3> shapes[] = {
      {{{131}, {131}, {131}}},
      {{{}, {}, {}}},
      {{{3, 67}, {3, 67}, {1}}},
      {{{3, 67}, {1}, {3, 67}}},
      {{{3, 67}, {1}, {1}}},
      {{{3, 1}, {3, 67}, {67}}},
      {{{1}, {3, 67}, {3, 67}}},
      {{{67}, {3, 1}, {3, 67}}},
      {{{2, 5, 1, 1}, {2, 5, 20, 33}, {1, 1, 1, 1}}},
      {{{0}, {1}, {0}}},
  };
  for (const auto& [c, a, b] : shapes) {
    for (DType type : {DType::kFloat32, DType::kInt64, DType::kUint8, DType::kInt16}) {
      const Tensor condition = random_ints(c, 0, 2, DType::kBool, 3);
      check_on_every_kernel({.op = Where{},
                             .in = {condition, random_numbers(a, type, 1), random_numbers(b, type, 2)},
                             .kernels = {"where"}});
    }
  }
}

template <class Op>
void check_number_reduction(const std::string& row, const Tensor& x, const Ints& axes) {
  Op op;
  KernelCase c{.op = {}, .in = {x}, .kernels = {row}};
  if constexpr (std::is_base_of_v<ReductionAttributes, Op>) {
    op.axis = axes;
  } else {
    c.in.push_back(int_list(axes));
  }
  c.op = op;
  check_on_every_kernel(c);
}

TEST(NumberReduceKernels, AxesThatLieTogether) {
  for (const Shape& s : {Shape{2, 37, 6, 19}, Shape{1, 1, 1, 1}, Shape{3, 5, 2, 100}}) {
    for (const Ints& axes : {Ints{2, 3}, Ints{3}, Ints{1}, Ints{0}, Ints{}, Ints{1, 2, 3}}) {
      for (DType type : {DType::kInt64, DType::kInt32, DType::kUint8}) {
        const Tensor x = random_numbers(s, type, 1);
        check_number_reduction<Sum>("sum.numbers", x, axes);
        check_number_reduction<Prod>("prod.numbers", x, axes);
        check_number_reduction<Max>("max.numbers", x, axes);
        check_number_reduction<Min>("min.numbers", x, axes);
        check_number_reduction<Amax>("amax.numbers", x, axes);
      }
      for (DType type : {DType::kBool, DType::kInt64, DType::kFloat32}) {
        check_number_reduction<All>("all.numbers", random_numbers(s, type, 2), axes);
        check_number_reduction<Any>("any.numbers", random_ints(s, 0, 2, type, 3), axes);
      }
      check_number_reduction<Sum>("sum.numbers", random_numbers(s, DType::kBool, 1), axes);
      Tensor reals = Tensor::make(DType::kFloat64, s);
      reals.assign(std::span<const double>(random_floats(s).doubles()));
      check_number_reduction<Sum>("sum.numbers", reals, axes);
      check_number_reduction<Max>("max.numbers", reals, axes);
      check_number_reduction<Min>("min.numbers", reals, axes);
      for (int64_t i = 1; i < reals.count(); i += 97) reals.data<double>()[i] = kNan;
      check_number_reduction<Max>("max.numbers", reals, axes);
      check_number_reduction<Min>("min.numbers", reals, axes);
      Tensor floats = random_floats(s);
      check_number_reduction<Max>("max", floats, axes);
      for (int64_t i = 1; i < floats.count(); i += 97) floats.data<float>()[i] = kNan;
      check_number_reduction<Max>("max", floats, axes);
      check_number_reduction<Min>("min", floats, axes);
    }
  }
}

TEST(NumberReduceKernels, PositionsOfWholeNumbers) {
  for (const Shape& s : {Shape{4, 1000}, Shape{2, 19, 13, 14}, Shape{1, 1}, Shape{5}}) {
    for (DType type : {DType::kInt64, DType::kInt32, DType::kUint8}) {
      for (int64_t axis = -1; axis < s.rank() - 1; ++axis) {
        const Tensor x = random_numbers(s, type, 1);
        check_on_every_kernel({.op = Argmax{}, .in = {x, int_list({axis})}, .kernels = {"argmax.numbers"}});
        check_on_every_kernel({.op = Argmin{}, .in = {x, int_list({axis})}, .kernels = {"argmin.numbers"}});
      }
    }
  }
}

TEST(NumberReduceKernels, DividedByTheNorm) {
  for (const Shape& s : {Shape{3, 700}, Shape{2, 37, 19, 5}, Shape{1, 1}, Shape{0, 3}}) {
    for (int64_t axis = -1; axis < s.rank() - 1; ++axis) {
      Norm op;
      op.axis = axis;
      op.epsilon = 1e-3;
      check_on_every_kernel(
          {.op = op, .in = {random_floats(s)}, .out_counts = {1, 1}, .relative = 1e-5, .kernels = {"norm"}});
      check_on_every_kernel({.op = op, .in = {random_floats(s)}, .relative = 1e-5, .kernels = {"norm"}});
    }
  }
}

TEST(NumberReduceKernels, Norms) {
  for (const Shape& s : {Shape{3, 700}, Shape{2, 37, 19}, Shape{1, 1}}) {
    const Tensor x = random_floats(s);
    for (double order : {1.0, 2.0, 3.0, 0.5, 2.5, static_cast<double>(kInfinity), -static_cast<double>(kInfinity)}) {
      for (int64_t axis = 0; axis < s.rank(); ++axis) {
        if (axis + 1 < s.rank() && order != 1 && order != 2 && !std::isinf(order)) continue;
        PNorm op;
        op.porder = order;
        op.axis = axis;
        check_on_every_kernel({.op = op, .in = {x}, .relative = 2e-5, .kernels = {"p_norm"}});
      }
    }
    check_on_every_kernel(
        {.op = FrobeniusNorm{}, .in = {x, int_list({s.rank() - 1})}, .relative = 2e-5, .kernels = {"frobenius_norm"}});
  }
}

TEST(NumberKernels, SumsOfMany) {
  for (DType type : {DType::kFloat32, DType::kInt64, DType::kInt32}) {
    for (const Shape& s : {Shape{}, Shape{0}, Shape{3, 5, 7}, Shape{50, 2100}}) {
      const Tensor a = random_numbers(s, type, 1);
      check_on_every_kernel({.op = AddN{}, .in = {a}, .in_counts = {1}, .kernels = {"add_n"}});
      check_on_every_kernel({.op = AddN{},
                             .in = {a, random_numbers(s, type, 2), random_numbers(s, type, 3)},
                             .in_counts = {3},
                             .kernels = {"add_n"}});
    }
  }
}

TEST(NumberKernels, ClipAndScaleWholeNumbers) {
  for (const Shape& s : {Shape{}, Shape{0}, Shape{3, 5, 7}, Shape{50, 2100}}) {
    for (DType type : {DType::kInt64, DType::kInt32}) {
      const Tensor x = random_ints(s, -90, 90, type);
      for (const auto& [low, high] : {std::pair(-3.5, 40.7), {2.5, 1e30}, {-kInfinity, 7.0}, {5.0, -5.0}}) {
        const Tensor least = Tensor::scalar(static_cast<float>(low));
        const Tensor most = Tensor::scalar(static_cast<float>(high));
        check_on_every_kernel({.op = Clip{}, .in = {x, least, most}, .kernels = {"clip.numbers"}});
      }
    }
    for (bool after : {true, false}) {
      Scale op;
      op.bias = 3.7;
      op.bias_after_scale = after;
      const Tensor x = random_ints(s, INT64_MIN, INT64_MAX, DType::kInt64);
      check_on_every_kernel({.op = op, .in = {x, Tensor::scalar(-2.5F)}, .kernels = {"scale.numbers"}});
    }
  }
}

TEST(NumberKernels, AllEqual) {
  for (DType type : {DType::kInt64, DType::kFloat32, DType::kBool}) {
    const Tensor x = random_numbers({3, 700, 31}, type, 1);
    Tensor other = x.clone();
    check_on_every_kernel({.op = EqualAll{}, .in = {x, other}, .kernels = {"equal_all"}});
    auto* bytes = static_cast<uint8_t*>(other.raw());
    bytes[other.bytes() - 1] ^= 1;
    check_on_every_kernel({.op = EqualAll{}, .in = {x, other}, .kernels = {"equal_all"}});
    check_on_every_kernel({.op = EqualAll{}, .in = {x, random_numbers({3, 700}, type, 1)}, .kernels = {"equal_all"}});
  }
}

TEST(NumberKernels, RemaindersOfReals) {
  // Quotients of all sizes, and what has none.
  const float values[] = {0.0F,  -0.0F,  1.0F,   -1.0F, 0.1F,      -0.3F,      7.5F, -7.5F,
                          1e30F, -1e30F, 1e-30F, 3e8F,  kInfinity, -kInfinity, kNan};
  std::vector<float> left;
  std::vector<float> right;
  for (float a : values) {
    for (float b : values) {
      left.push_back(a);
      right.push_back(b);
    }
  }
  const auto count = static_cast<int64_t>(left.size());
  const Tensor x = Tensor::of<float>({count}, left);
  const Tensor y = Tensor::of<float>({count}, right);
  for (const Op& op : {Op(FloorDivide{}), Op(Remainder{})}) {
    const std::string row = std::string(op.name()) + ".numbers";
    check_on_every_kernel({.op = op, .in = {x, y}, .kernels = {row}});
    check_on_every_kernel(
        {.op = op, .in = {random_floats({3000}, -90, 90), random_floats({3000}, 0.01, 3, 2)}, .kernels = {row}});
  }
}

}  // namespace
}  // namespace coracle::internal::test
