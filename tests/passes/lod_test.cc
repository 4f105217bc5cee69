// SPDX-License-Identifier: Apache-2.0
// Rewrites keep the sequence offsets of values: a patch that cannot is not applied.
#include <gtest/gtest.h>

#include "graph/patch.h"
#include "graph/text.h"
#include "ops/activation/abs.h"
#include "ops/activation/relu.h"
#include "ops/activation/tanh.h"
#include "ops/matmul/matmul_with_flatten.h"
#include "ops/sequence/sequence_pool.h"
#include "passes/pass.h"
#include "run/session_results.h"
#include "support/graph_model.h"
#include "support/random_graph.h"

namespace coracle::internal {
namespace {

using test::model_of;
using test::random_tensor;

/// The value of that name.
ValueId named(const Graph& graph, std::string_view name) {
  for (size_t i = 0; i < graph.value_count(); ++i) {
    const ValueId v{static_cast<int32_t>(i)};
    if (graph.value(v).name == name) return v;
  }
  return kNoValue;
}

const char* const kOrigins = R"(graph (%x "x": float32[?, 4]) {
  @w: float32[4, 4] = random(1)
  @axis: int64[1] = {1}
  %1 "relu" = relu(%x)
  %2 "product" = matmul_with_flatten(%1, @w)
  %3 "mean" = mean(%x, @axis)
  %4 "pooled" = sequence_pool(%2)
  %5 "again" = sequence_pool(%2)
  %6 "reset" = lod_reset(%3) {target_lod = [0, 2]}
  return %4, %5, %6
})";

TEST(LodOrigins, FollowTheRulesOfTheOperators) {
  const Graph g = parse(kOrigins);
  const ValueId x = g.inputs()[0];
  const auto origin = [&](std::string_view name) { return g.value(named(g, name)).lod_origin; };
  EXPECT_EQ(origin("x"), x);
  EXPECT_EQ(origin("relu"), x);
  EXPECT_EQ(origin("product"), x);
  EXPECT_EQ(origin("mean"), kNoValue);
  EXPECT_EQ(origin("pooled"), named(g, "pooled")) << "made of its operand's";
  EXPECT_EQ(origin("reset"), named(g, "reset")) << "made whatever the operand has";
}

TEST(LodOrigins, ANodeMayBeTold) {
  const char* const kTold = R"(graph (%x "x": float32[?, 4]) {
  %1 "a" = relu(%x) lod none
  %2 "b" = add(%1, %x) lod 1
  %3 "c" = tanh(%2)
  return %3
})";
  const Graph g = parse(kTold);
  EXPECT_EQ(g.value(named(g, "a")).lod_origin, kNoValue);
  EXPECT_EQ(g.value(named(g, "c")).lod_origin, g.inputs()[0]);
  EXPECT_EQ(print(parse(print(g))), print(g));
  Fact x(DType::kFloat32, {3, 4});
  x.lod = std::make_shared<const Lod>(Lod{{0, 1, 3}});
  const std::vector<Fact> facts = infer_graph(g, {&x, 1});
  EXPECT_EQ(facts[index(named(g, "a"))].lod, nullptr);
  EXPECT_EQ(facts[index(named(g, "c"))].lod, x.lod);
  for (const char* wrong : {"lod 2", "lod -1", "lod all"}) {
    EXPECT_THROW(parse(text("graph (%x: float32[2]) { %1 = add(%x, %x) ", wrong, " return %1 }")), Error) << wrong;
  }
}

TEST(PatchLod, AddedNodesAreToldWhereTheyWouldSayOtherwise) {
  Graph g = parse(kOrigins);
  const ValueId mean = named(g, "mean");
  const NodeId at = g.value(mean).producer;
  Patch patch(g, at);
  const ValueId by = patch.add(Relu{}, {{mean}});
  patch.replace(mean, by);
  EXPECT_TRUE(patch.allowed());
  const ValueId product = named(g, "product");
  Patch other(g, g.value(product).producer);
  const ValueId kept = other.add(Tanh{}, {{named(g, "relu")}});
  other.replace(product, kept);
  EXPECT_TRUE(other.allowed());
  EXPECT_EQ(g.value(kept).lod_origin, g.inputs()[0]);
  EXPECT_EQ(g.node(g.value(kept).producer).lod_from, kLodByOperator) << "tanh passes them on by itself";
}

TEST(PatchLod, ValuesWithOtherOffsetsDoNotReplaceEachOther) {
  Graph g = parse(R"(graph (%x "x": float32[?, 4], %y "y": float32[?, 4]) {
  %1 "a" = relu(%x)
  %2 "b" = abs(%y)
  return %1, %2
})");
  const std::string before = print(g);
  {
    Patch patch(g, g.order()[0]);
    patch.replace(named(g, "a"), patch.add(Abs{}, {{g.inputs()[1]}}));
    EXPECT_FALSE(patch.allowed());
    EXPECT_THROW(patch.commit(), Error);
  }
  {
    Patch patch(g, g.order()[0]);
    patch.replace(named(g, "a"), g.inputs()[1]);
    EXPECT_FALSE(patch.allowed());
  }
  EXPECT_EQ(print(g), before) << "a patch that is not committed leaves nothing behind";
}

TEST(PatchLod, EqualOperatorsOnTheSameOperandsHaveTheSameOffsets) {
  Graph g = parse(kOrigins);
  Patch patch(g, g.value(named(g, "again")).producer);
  patch.replace(named(g, "again"), named(g, "pooled"));
  EXPECT_TRUE(patch.allowed());
}

/// Outputs and their offsets for offsets of the input.
std::vector<Tensor> results(const char* graph, const ModelOptions& options, const Tensor& x, const Lod& lod) {
  const auto model = model_of(graph, options);
  Session session(model, {.threads = 1});
  session.set_input(0, x);
  session.set_input_lod(0, lod);
  session.run();
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < model->info().outputs.size(); ++i) outputs.push_back(session.output(i).clone());
  return outputs;
}

struct Program {
  const char* name;
  const char* graph;
  Shape shape;  ///< of the input
  Shape result;
};

void PrintTo(const Program& p, std::ostream* out) { *out << p.name; }

const Program kPrograms[] = {
    {"EmbeddedSequences",
     R"(graph (%ids "ids": int64[?, 1]) {
  @table: float32[3, 8] = random(1)
  @w: float32[8, 24] = random(2)
  @b: float32[24] = random(3)
  @u: float32[6, 24] = random(4)
  @bias: float32[1, 24] = random(5)
  @v: float32[6, 2] = random(6)
  %1 = lookup_table(%ids, @table)
  %2 = matmul_with_flatten(%1, @w)
  %3 = add(%2, @b)
  %4, %5 = lstm(%3, _, _, @u, @bias) {use_peepholes = false}
  %6 = sequence_pool(%4) {pooltype = MAX}
  %7 = matmul_with_flatten(%6, @v)
  %8 = softmax(%7)
  return %8 "y"
})",
     {7, 1},
     {3, 2}},
    {"ProductOfImages",
     R"(graph (%x "x": float32[?, 2, 3]) {
  @w: float32[6, 4] = random(1)
  @b: float32[4] = random(2)
  %1 = matmul_with_flatten(%x, @w)
  %2 = add(%1, @b)
  %3 = relu(%2)
  %4 = sequence_pool(%3) {pooltype = SUM}
  return %4 "y"
})",
     {7, 2, 3},
     {3, 4}},
    {"ResidualFirst",
     R"(graph (%x "x": float32[?, 4]) {
  @w: float32[4, 4] = random(1)
  @axis: int64[1] = {1}
  %1 = transpose(%x) {perm = [0, 1]}
  %2 = matmul(%1, @w)
  %3 = add(%x, %2)
  %4 = sequence_pool(%3) {pooltype = SUM}
  return %4 "y", %3 "z"
})",
     {7, 4},
     {3, 4}},
};

class SequencePrograms : public ::testing::TestWithParam<Program> {};

TEST_P(SequencePrograms, GiveTheSameWithAndWithoutRewrites) {
  const Program& p = GetParam();
  const Lod lod{{0, 2, 3, 7}};
  const bool ids = std::string_view(p.name) == "EmbeddedSequences";
  const std::vector<int64_t> words{0, 1, 2, 2, 1, 0, 1};
  const Tensor x = ids ? Tensor::of<int64_t>(p.shape, words) : random_tensor(p.shape, 1);
  ModelOptions plain;
  plain.passes.disabled = {"all"};
  const std::vector<Tensor> expected = results(p.graph, plain, x, lod);
  EXPECT_EQ(expected[0].shape(), p.result);
  const std::vector<Tensor> got = results(p.graph, {}, x, lod);
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(got[i].shape(), expected[i].shape());
    EXPECT_EQ(got[i].lod(), expected[i].lod());
    const std::vector<double> a = got[i].doubles();
    const std::vector<double> b = expected[i].doubles();
    for (size_t k = 0; k < a.size() && k < b.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-5);
  }
}

INSTANTIATE_TEST_SUITE_P(Lod, SequencePrograms, ::testing::ValuesIn(kPrograms),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace coracle::internal
