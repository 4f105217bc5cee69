// SPDX-License-Identifier: Apache-2.0
// Operators that the real Paddle cannot run on a CPU, against their formulas written out.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numeric>

#include "graph/graph.h"
#include "ops/algebra/eig.h"
#include "ops/algebra/matrix_rank_tol.h"
#include "ops/algebra/svd.h"
#include "ops/attention/fused_rotary_position_embedding.h"
#include "ops/creation/standard_gamma.h"
#include "ops/creation/top_p_sampling.h"
#include "ops/creation/uniform_random_batch_size_like.h"
#include "ops/matmul/cos_sim.h"
#include "ops/movement/tensor_unfold.h"
#include "ops/quantize/llm_int8_linear.h"
#include "ops/quantize/weight_dequantize.h"
#include "ops/quantize/weight_only_linear.h"
#include "ops/quantize/weight_quantize.h"
#include "ops/shape/as_strided.h"
#include "ops/shape/view_dtype.h"
#include "ops/shape/view_shape.h"
#include "support/program_results.h"

namespace coracle::internal {
namespace {

Tensor reals(const Shape& shape, double step = 1.7) {
  std::vector<float> values(static_cast<size_t>(shape.count()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(std::sin(static_cast<double>(i) * step));
  return Tensor::of<float>(shape, values);
}

/// All results of an operator; an empty tensor stands for an operand that is absent.
std::vector<Tensor> run_alone(const Op& op, const std::vector<Tensor>& inputs, const PortCounts& results = {1}) {
  Graph graph;
  PortValues values;
  std::vector<Tensor> given;
  for (const Tensor& t : inputs) {
    values.emplace_back();
    if (t.empty_handle()) continue;
    values.back().push_back(graph.add_input("x", Fact(t.dtype(), t.shape())));
    given.push_back(t);
  }
  const NodeId node = graph.add_node(op, values, results);
  const int count = std::accumulate(results.begin(), results.end(), 0);
  for (int i = 0; i < count; ++i) graph.add_output(graph.node(node).output(i), "y" + std::to_string(i));
  return evaluate_graph(graph, given);
}

TEST(WithoutOracle, CosinesOfRows) {
  const Tensor x = reals({3, 2, 2});
  for (const Tensor& y : {reals({3, 2, 2}, 0.9), reals({1, 2, 2}, 0.9)}) {
    const std::vector<Tensor> got = run_alone(CosSim{}, {x, y}, {1, 1, 1});
    ASSERT_EQ(got[0].shape(), (Shape{3, 1}));
    for (int64_t i = 0; i < 3; ++i) {
      const int64_t j = y.shape()[0] == 1 ? 0 : i;
      double product = 0;
      double xx = 0;
      double yy = 0;
      for (int64_t k = 0; k < 4; ++k) {
        product += x.number(i * 4 + k) * y.number(j * 4 + k);
        xx += x.number(i * 4 + k) * x.number(i * 4 + k);
        yy += y.number(j * 4 + k) * y.number(j * 4 + k);
      }
      EXPECT_NEAR(got[0].number(i), product / std::sqrt(xx * yy), 1e-6);
      EXPECT_NEAR(got[1].number(i), std::sqrt(xx), 1e-6);
      EXPECT_NEAR(got[2].number(j), std::sqrt(yy), 1e-6);
    }
  }
}

TEST(WithoutOracle, RotaryPositionsTurnPairs) {
  constexpr int64_t kSteps = 3;
  constexpr int64_t kWidth = 4;
  const Tensor q = reals({2, kSteps, 2, kWidth});
  for (const bool neighbours : {true, false}) {
    FusedRotaryPositionEmbedding op;
    op.use_neox_rotary_style = neighbours;
    Tensor sine = Tensor::make(DType::kFloat32, {1, kSteps, 1, kWidth});
    Tensor cosine = Tensor::make(DType::kFloat32, {1, kSteps, 1, kWidth});
    for (int64_t t = 0; t < kSteps; ++t) {
      for (int64_t i = 0; i < kWidth; ++i) {
        const double pair = static_cast<double>(neighbours ? i / 2 : i % 2);
        const double angle = static_cast<double>(t) * std::pow(10000.0, -2 * pair / kWidth);
        sine.data<float>()[t * kWidth + i] = static_cast<float>(std::sin(angle));
        cosine.data<float>()[t * kWidth + i] = static_cast<float>(std::cos(angle));
      }
    }
    const Tensor got = run_alone(op, {q, Tensor(), Tensor(), sine, cosine}).front();
    for (int64_t at = 0; at < q.count(); ++at) {
      const int64_t i = at % kWidth;
      const int64_t t = at / (2 * kWidth) % kSteps;
      const int64_t partner = neighbours ? (i % 2 == 0 ? 1 : -1) : (i < 2 ? 2 : -2);
      const double turned = partner > 0 ? -q.number(at + partner) : q.number(at + partner);
      const double expected = q.number(at) * cosine.number(t * kWidth + i) + turned * sine.number(t * kWidth + i);
      EXPECT_NEAR(got.number(at), expected, 1e-6) << at;
    }
    if (!neighbours) continue;
    // Without tables the angles follow from the steps; positions in reverse take the rows of the tables in reverse.
    const Tensor own = run_alone(op, {q}).front();
    for (int64_t at = 0; at < q.count(); ++at) EXPECT_NEAR(own.number(at), got.number(at), 1e-6);
    const Tensor ids = Tensor::of<int64_t>({2, kSteps}, {{2, 1, 0, 2, 1, 0}});
    const Tensor reversed = run_alone(op, {q, Tensor(), Tensor(), sine, cosine, ids}).front();
    for (int64_t i = 0; i < 2 * kWidth; ++i)
      EXPECT_EQ(reversed.number(2 * 2 * kWidth + i), q.number(2 * 2 * kWidth + i));
  }
}

TEST(WithoutOracle, TopPDrawsAmongTheMostProbable) {
  const Tensor x = Tensor::of<float>({2, 4}, {{0.1F, 0.5F, 0.1F, 0.3F, 0.2F, 0.2F, 0.55F, 0.05F}});
  int seen[4] = {};
  for (int64_t seed = 0; seed < 200; ++seed) {
    TopPSampling op;
    op.seed = seed;
    const std::vector<Tensor> got = run_alone(op, {x, Tensor::of<float>({2, 1}, {{0.7F, 0.5F}})}, {1, 1});
    const int64_t first = got[1].integer(0);
    ++seen[first];
    EXPECT_EQ(got[0].number(0), x.number(first));
    EXPECT_EQ(got[1].integer(1), 2) << "the largest alone reaches 0.5";
  }
  EXPECT_EQ(seen[0] + seen[2], 0) << "0.5 and 0.3 reach 0.7 together";
  EXPECT_NEAR(seen[1] / 200.0, 0.5 / 0.8, 0.12);
}

TEST(WithoutOracle, PackedWeightsGiveTheProduct) {
  const Tensor w = reals({64, 16}, 0.37);
  const Tensor x = reals({3, 64});
  const Tensor bias = reals({16}, 0.5);
  for (const char* algo : {"weight_only_int8", "weight_only_int4", "llm.int8"}) {
    WeightQuantize quantize;
    quantize.algo = algo;
    const std::vector<Tensor> packed = run_alone(quantize, {w}, {1, 1});
    WeightDequantize dequantize;
    dequantize.algo = algo;
    const Tensor back = run_alone(dequantize, packed).front();
    ASSERT_EQ(back.shape(), w.shape());
    const bool four = std::string(algo) == "weight_only_int4";
    for (int64_t i = 0; i < w.count(); ++i) {
      EXPECT_NEAR(back.number(i), w.number(i), 0.501 * packed[1].number(i % 16)) << algo << " " << i;
    }
    WeightOnlyLinear linear;
    linear.weight_dtype = four ? "int4" : "int8";
    const Op op = std::string(algo) == "llm.int8" ? Op(LlmInt8Linear{}) : Op(linear);
    const Tensor got = run_alone(op, {x, packed[0], bias, packed[1]}).front();
    const Tensor without_bias = run_alone(op, {x, packed[0], Tensor(), packed[1]}).front();
    for (int64_t i = 0; i < 3; ++i) {
      for (int64_t j = 0; j < 16; ++j) {
        double sum = bias.number(j);
        for (int64_t k = 0; k < 64; ++k) sum += x.number(i * 64 + k) * back.number(k * 16 + j);
        EXPECT_NEAR(got.number(i * 16 + j), sum, 1e-5) << algo;
        EXPECT_NEAR(without_bias.number(i * 16 + j), sum - bias.number(j), 1e-5) << algo;
      }
    }
  }
}

TEST(WithoutOracle, PackedWeightsOfTheFirstTensorCoresAreRows) {
  WeightQuantize op;
  op.arch = 70;
  const Tensor w = Tensor::of<float>({1, 8}, {{127, -127, 64, 1, 2, 3, 4, 5}});
  const std::vector<Tensor> packed = run_alone(op, {w}, {1, 1});
  EXPECT_EQ(packed[0].shape(), (Shape{8, 1}));
  // Each is the largest of its column: 127 or -127, 128 more, the second and third of four exchanged.
  EXPECT_EQ(packed[0].integers(), (Ints{-1, -1, 1, -1, -1, -1, -1, -1}));
}

TEST(WithoutOracle, ViewsOfBytesAndStrides) {
  const Tensor x = reals({2, 6});
  ViewDtype view;
  view.dtype = DType::kInt32;
  const Tensor bits = run_alone(view, {x}).front();
  EXPECT_EQ(std::memcmp(bits.raw(), x.raw(), x.bytes()), 0);
  view.dtype = DType::kFloat64;
  EXPECT_EQ(run_alone(view, {x}).front().shape(), (Shape{2, 3}));
  view.dtype = DType::kInt8;
  EXPECT_EQ(run_alone(view, {x}).front().shape(), (Shape{2, 24}));
  AsStrided strided;
  strided.dims = {2, 2};
  strided.stride = {1, 6};
  const Tensor turned = run_alone(strided, {x}).front();
  EXPECT_EQ(turned.doubles(), (std::vector<double>{x.number(0), x.number(6), x.number(1), x.number(7)}));
  ViewShape shape;
  shape.dims = {-1, 4};
  EXPECT_EQ(run_alone(shape, {x}).front().shape(), (Shape{3, 4}));
  EXPECT_EQ(run_alone(shape, {x}).front().doubles(), x.doubles());
}

TEST(WithoutOracle, WindowsAlongAnAxis) {
  TensorUnfold op;
  op.axis = 0;
  op.size = 2;
  op.step = 2;
  const Tensor x = Tensor::of<int64_t>({5, 2}, {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}});
  const Tensor y = run_alone(op, {x}).front();
  EXPECT_EQ(y.shape(), (Shape{2, 2, 2}));
  EXPECT_EQ(y.integers(), (Ints{0, 2, 1, 3, 4, 6, 5, 7}));
}

TEST(WithoutOracle, RandomNumbersStayWhereTheyBelong) {
  UniformRandomBatchSizeLike op;
  op.like.shape = {-1, 50};
  op.min = 2;
  op.max = 3;
  const Tensor y = run_alone(op, {reals({4, 1})}).front();
  EXPECT_EQ(y.shape(), (Shape{4, 50}));
  for (double v : y.doubles()) EXPECT_TRUE(v >= 2 && v < 3);
  const std::vector<float> shapes(4000, 2.5F);
  double sum = 0;
  for (double v : run_alone(StandardGamma{}, {Tensor::of<float>({4000}, shapes)}).front().doubles()) sum += v;
  EXPECT_NEAR(sum / 4000, 2.5, 0.1);
}

TEST(WithoutOracle, FullSingularVectorsAreOrthonormal) {
  Svd op;
  op.full_matrices = true;
  for (const Shape& s : {Shape{4, 2}, Shape{2, 4}, Shape{3, 3}}) {
    const std::vector<Tensor> got = run_alone(op, {reals(s)}, {1, 1, 1});
    for (size_t side : {0U, 2U}) {
      const int64_t n = got[side].shape()[0];
      ASSERT_EQ(got[side].shape(), (Shape{n, n}));
      for (int64_t i = 0; i < n; ++i) {
        for (int64_t j = 0; j < n; ++j) {
          double product = 0;
          for (int64_t k = 0; k < n; ++k) product += got[side].number(i * n + k) * got[side].number(j * n + k);
          EXPECT_NEAR(product, i == j ? 1 : 0, 1e-6);
        }
      }
    }
  }
}

TEST(WithoutOracle, EigenvectorsSatisfyTheirEquation) {
  const Tensor x = reals({5, 5});
  const std::vector<Tensor> got = run_alone(Eig{}, {x}, {1, 1});
  const auto* values = got[0].data<std::complex<float>>();
  const auto* vectors = got[1].data<std::complex<float>>();
  for (int64_t k = 0; k < 5; ++k) {
    for (int64_t i = 0; i < 5; ++i) {
      std::complex<double> sum = 0;
      for (int64_t j = 0; j < 5; ++j) sum += x.number(i * 5 + j) * std::complex<double>(vectors[j * 5 + k]);
      const auto expected = std::complex<double>(values[k]) * std::complex<double>(vectors[i * 5 + k]);
      EXPECT_LT(std::abs(sum - expected), 1e-5);
    }
  }
}

TEST(WithoutOracle, ConstantsAndPositionsFromAttributes) {
  using test::OpWriter;
  OpWriter fill("fill");
  fill.out("Out", {"y"}).reals("value", {1, 2, 3, 4}).integers("shape", {2, 2}).integer("dtype", test::kFloat32);
  EXPECT_EQ(test::run({{"x", {1}}}, {fill}), (std::vector<double>{1, 2, 3, 4}));
  OpWriter any("fill_any");
  any.in("X", {"x"}).out("Out", {"y"}).real("value", 2.5F);
  EXPECT_EQ(test::run({{"x", {3}}}, {any}), (std::vector<double>{2.5, 2.5, 2.5}));
  OpWriter select("index_select_strided");
  select.in("x", {"x"}).out("out", {"y"}).integer("index", 1).integer("axis", 0);
  EXPECT_EQ(test::run({{"x", {3}, {5, 6, 7}}}, {select}), (std::vector<double>{6}));
}

}  // namespace
}  // namespace coracle::internal
