// SPDX-License-Identifier: Apache-2.0
// What one-operator cases of a file do not show for arithmetic: unknown dimensions while inferring, refused arguments,
// failures that depend on the data, random numbers, shape arithmetic that folds.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>

#include "graph/graph.h"
#include "ops/algebra/cholesky.h"
#include "ops/algebra/fft_r2c.h"
#include "ops/algebra/solve.h"
#include "ops/creation/arange.h"
#include "ops/creation/diag.h"
#include "ops/creation/gaussian.h"
#include "ops/creation/linspace.h"
#include "ops/creation/multinomial.h"
#include "ops/creation/one_hot.h"
#include "ops/creation/randperm.h"
#include "ops/creation/uniform.h"
#include "ops/elementwise/add.h"
#include "ops/elementwise/floor_divide.h"
#include "ops/elementwise/remainder.h"
#include "ops/elementwise/sum.h"
#include "ops/index/reindex_graph.h"
#include "ops/logic/bitwise_and.h"
#include "ops/matmul/dot.h"
#include "ops/matmul/einsum.h"
#include "ops/matmul/matmul.h"
#include "ops/matmul/matmul_with_flatten.h"
#include "ops/reduce/cummax.h"
#include "ops/reduce/mean.h"
#include "ops/reduce/p_norm.h"
#include "ops/reduce/prod.h"

namespace coracle::internal {
namespace {

constexpr int64_t kAny = Shape::kUnknown;

Shape inferred(const Op& op, const std::vector<Fact>& facts, const std::vector<Ints>& operands = {}) {
  Graph graph;
  PortValues inputs;
  for (const Fact& f : facts) inputs.push_back({graph.add_input("x", f)});
  for (const Ints& values : operands) inputs.push_back({graph.add_constant(Tensor::ints(values))});
  return graph.fact(graph.add(op, inputs)).shape;
}

Fact real(const Shape& shape) { return {DType::kFloat32, shape}; }

std::string refusal(const Op& op, const std::vector<Fact>& facts, const std::vector<Ints>& operands = {}) {
  try {
    inferred(op, facts, operands);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kInvalidModel);
    return e.text();
  }
  return "accepted";
}

Tensor run_op(const Op& op, const std::vector<Tensor>& inputs) {
  Graph graph;
  PortValues values;
  for (const Tensor& t : inputs) values.push_back({graph.add_input("x", Fact(t.dtype(), t.shape()))});
  graph.add_output(graph.add(op, values), "y");
  return evaluate_graph(graph, inputs).front();
}

Cummax cummax_along(int64_t axis) {
  Cummax op;
  op.axis = axis;
  return op;
}

ErrorCode failure(const Op& op, const std::vector<Tensor>& inputs) {
  try {
    run_op(op, inputs);
  } catch (const Error& e) {
    return e.code();
  }
  ADD_FAILURE() << op.name() << " is accepted";
  return ErrorCode::kInvalidModel;
}

Tensor floats(const Shape& shape, std::vector<float> values) {
  return Tensor::of<float>(shape, std::span<const float>(values));
}

TEST(Math, UnknownDimensionsStayUnknown) {
  EXPECT_EQ(inferred(Add{}, {real({kAny, 3}), real({3})}), (Shape{kAny, 3}));
  EXPECT_FALSE(inferred(Add{}, {real(Shape::unknown_rank()), real({3})}).rank_known());
  EXPECT_EQ(inferred(Matmul{}, {real({kAny, 4, 5}), real({5, 6})}), (Shape{kAny, 4, 6}));
  EXPECT_EQ(inferred(Matmul{.transpose_y = true}, {real({kAny, 5}), real({7, kAny})}), (Shape{kAny, 7}));
  EXPECT_EQ(inferred(Mean{}, {real({kAny, 4, kAny})}, {{1, 2}}), (Shape{kAny}));
  EXPECT_EQ(inferred(Sum{}, {real({kAny, 4})}, {{-1}}), (Shape{kAny}));
  EXPECT_EQ(inferred(Diag{}, {real({kAny})}), (Shape{kAny, kAny}));
  EXPECT_EQ(inferred(Solve{}, {real({kAny, 3, 3}), real({3, 2})}), (Shape{kAny, 3, 2}));
}

TEST(Math, OperandsThatAreNotKnownYetGiveUnknownSizes) {
  const Fact number(DType::kInt64, Shape{1});
  EXPECT_EQ(inferred(Arange{}, {number, number, number}), (Shape{kAny}));
  EXPECT_EQ(inferred(Linspace{}, {number, number, number}), (Shape{kAny}));
  EXPECT_EQ(inferred(OneHot{}, {Fact(DType::kInt64, {4}), number}), (Shape{4, kAny}));
  EXPECT_EQ(inferred(Gaussian{}, {Fact(DType::kInt64, {3})}), (Shape{kAny, kAny, kAny}));
  EXPECT_FALSE(inferred(Sum{}, {real({2, 3}), number}).rank_known());
}

TEST(Math, ShapesThatDoNotFitAreRefused) {
  EXPECT_NE(refusal(Add{}, {real({2, 3}), real({2, 4})}), "accepted");
  EXPECT_NE(refusal(Matmul{}, {real({2, 3}), real({4, 2})}), "accepted");
  EXPECT_NE(refusal(MatmulWithFlatten{}, {real({2, 3}), real({4, 2})}), "accepted");
  EXPECT_NE(refusal(Dot{}, {real({3}), real({4})}), "accepted");
  EXPECT_NE(refusal(Mean{}, {real({2, 3})}, {{2}}), "accepted");
  EXPECT_NE(refusal(PNorm{.axis = 3}, {real({2, 3})}), "accepted");
  EXPECT_NE(refusal(cummax_along(1), {real({2})}), "accepted");
  EXPECT_NE(refusal(Diag{}, {real({2, 2, 2})}), "accepted");
  EXPECT_NE(refusal(Cholesky{}, {real({2, 3})}), "accepted");
  EXPECT_NE(refusal(BitwiseAnd{}, {real({2}), real({2})}), "accepted");
  EXPECT_NE(refusal(Arange{}, {}, {{0}, {5}, {0}}), "accepted");
}

std::string einsum_refusal(const std::string& equation) {
  Graph graph;
  try {
    graph.add(Einsum{.equation = equation}, {{graph.add_input("x", real({2, 3})), graph.add_input("y", real({3, 4}))}});
  } catch (const Error& e) {
    return e.text();
  }
  return "accepted";
}

TEST(Math, EquationsThatDoNotFitAreRefused) {
  EXPECT_EQ(einsum_refusal("ij,jk->ik"), "accepted");
  EXPECT_EQ(einsum_refusal("ij,jk"), "accepted");
  EXPECT_EQ(einsum_refusal("...j,jk->...k"), "accepted");
  for (const char* wrong :
       {"ij->ij", "ijk,jk->ik", "ij,jk->il", "ij,jk->ii", "ij,ik->jk", "i?,jk->ik", "i..,jk->ik", ""}) {
    EXPECT_NE(einsum_refusal(wrong), "accepted") << wrong;
  }
}

TEST(Math, WholeNumbersNeverStopARun) {
  const Tensor x = Tensor::of<int32_t>({4}, std::vector<int32_t>{7, -7, INT32_MIN, 5});
  const Tensor y = Tensor::of<int32_t>({4}, std::vector<int32_t>{-2, 2, -1, 0});
  EXPECT_EQ(run_op(FloorDivide{}, {x, y}).integers(), (Ints{-4, -4, INT32_MIN, 0}));
  EXPECT_EQ(run_op(Remainder{}, {x, y}).integers(), (Ints{-1, 1, 0, 0}));
}

TEST(Math, DataThatCannotBeComputedFailsTheRun) {
  EXPECT_EQ(failure(Cholesky{}, {floats({1, 1}, {-1})}), ErrorCode::kRunFailure);
  EXPECT_EQ(failure(Multinomial{}, {floats({2}, {0, 0}), Tensor::ints(Ints{1})}), ErrorCode::kRunFailure);
  EXPECT_EQ(failure(OneHot{}, {Tensor::ints(Ints{5}), Tensor::ints(Ints{5})}), ErrorCode::kRunFailure);
}

TEST(Math, EmptyTensors) {
  EXPECT_EQ(run_op(Sum{}, {floats({0, 2}, {}), Tensor::ints(Ints{0})}).integers(), (Ints{0, 0}));
  EXPECT_EQ(run_op(Matmul{}, {floats({2, 0}, {}), floats({0, 1}, {})}).integers(), (Ints{0, 0}));
  EXPECT_EQ(run_op(cummax_along(0), {floats({0}, {})}).count(), 0);
}

TEST(Math, RandomNumbersFollowTheSeed) {
  const Tensor shape = Tensor::ints(Ints{20000});
  const Tensor first = run_op(Gaussian{.mean = 1, .std = 2, .seed = 5}, {shape});
  const Tensor again = run_op(Gaussian{.mean = 1, .std = 2, .seed = 5}, {shape});
  const Tensor other = run_op(Gaussian{.mean = 1, .std = 2, .seed = 6}, {shape});
  EXPECT_TRUE(std::ranges::equal(first.values<float>(), again.values<float>()));
  EXPECT_FALSE(std::ranges::equal(first.values<float>(), other.values<float>()));
  double sum = 0;
  double squares = 0;
  for (float v : first.values<float>()) {
    sum += v;
    squares += (v - 1.0) * (v - 1.0);
  }
  EXPECT_NEAR(sum / 20000, 1.0, 0.06);
  EXPECT_NEAR(squares / 20000, 4.0, 0.2);
  const Tensor uniform = run_op(Uniform{}, {shape});
  for (float v : uniform.values<float>()) {
    EXPECT_GE(v, -1.0F);
    EXPECT_LE(v, 1.0F);
  }
  Ints order = run_op(Randperm{.n = 100, .seed = 3}, {}).integers();
  std::ranges::sort(order);
  for (int64_t i = 0; i < 100; ++i) EXPECT_EQ(order[static_cast<size_t>(i)], i);
}

TEST(Fourier, SpectraOfRealNumbersMirrorExactly) {
  for (int64_t n : {1, 2, 5, 8, 12}) {
    std::vector<float> x;
    for (int64_t i = 0; i < 3 * n; ++i) x.push_back(static_cast<float>((i * 7) % 11) - 6.5F);
    FftR2c op;
    op.axes = {1};
    for (bool forward : {true, false}) {
      op.forward = forward;
      op.onesided = false;
      const Tensor all = run_op(op, {Tensor::of<float>({3, n}, x)});
      op.onesided = true;
      const Tensor half = run_op(op, {Tensor::of<float>({3, n}, x)});
      const auto* y = all.data<std::complex<float>>();
      for (int64_t row = 0; row < 3; ++row) {
        // The angle of a negative number is pi, not -pi: its imaginary part is a zero without a sign.
        EXPECT_FALSE(std::signbit(y[row * n].imag()));
        EXPECT_EQ(y[row * n].imag(), 0);
        for (int64_t k = 0; k <= n / 2; ++k) {
          const std::complex<float> z = half.data<std::complex<float>>()[row * (n / 2 + 1) + k];
          EXPECT_EQ(z, y[row * n + k]) << n << " " << k;
          if (k == 0 || 2 * k == n) {
            EXPECT_FALSE(std::signbit(z.imag())) << n << " " << k;
          } else {
            EXPECT_EQ(std::conj(z), y[row * n + n - k]) << n << " " << k;
          }
        }
      }
    }
  }
}

TEST(ComplexNumbers, AreNotReducedToRealOnes) {
  Tensor x = Tensor::make(DType::kComplex64, {5, 7});
  std::fill_n(x.data<std::complex<float>>(), x.count(), std::complex<float>(1, 2));
  for (const DType dtype : {DType::kFloat32, DType::kBool, DType::kInt64}) {
    Prod product;
    product.dtype = dtype;
    EXPECT_EQ(failure(product, {x, Tensor::ints(Ints{1})}), ErrorCode::kUnsupported);
    Sum sum;
    sum.dtype = dtype;
    EXPECT_EQ(failure(sum, {x, Tensor::ints(Ints{1})}), ErrorCode::kUnsupported);
  }
  Sum wide;
  wide.dtype = DType::kComplex128;
  const Tensor y = run_op(wide, {x, Tensor::ints(Ints{1})});
  ASSERT_EQ(y.dtype(), DType::kComplex128);
  for (int64_t i = 0; i < y.count(); ++i) EXPECT_EQ(y.data<std::complex<double>>()[i], std::complex<double>(7, 14));
}

TEST(ReindexGraph, RefusesWhatIsNoGraph) {
  const auto fails = [](const Ints& x, const Ints& neighbors, const Ints& count) {
    return failure(ReindexGraph{}, {Tensor::ints(x), Tensor::ints(neighbors), Tensor::ints(count)});
  };
  EXPECT_EQ(fails({4, 5, 4}, {1, 2, 3}, {1, 1, 1}), ErrorCode::kInvalidArgument);  // node 4 twice
  EXPECT_EQ(fails({4, 5}, {1, 2, 3}, {1, 1}), ErrorCode::kInvalidArgument);        // a neighbor of nobody
  EXPECT_EQ(fails({4, 5}, {1, 2, 3}, {1, 3}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(fails({4, 5}, {1, 2, 3}, {-1, 4}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(fails({4, 5}, {1, 2, 3}, {1, 1, 1}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(fails({}, {1}, {1}), ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace coracle::internal
