// SPDX-License-Identifier: Apache-2.0
// float16 and bfloat16 in models with engines: blocks are float32, with casts around them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ops/control/engine_block.h"
#include "ops/elementwise/cast.h"
#include "ops/elementwise/casting.h"
#include "plan/upcast.h"
#include "run/session_results.h"
#include "support/chance_engine.h"
#include "support/graph_model.h"
#include "support/random_graph.h"

namespace coracle::internal::test {
namespace {

constexpr const char* kHalfGraph = R"(graph (%x "x": TYPE[?, 6]) {
  @w: TYPE[6, 5] = random(1)
  @b: TYPE[5] = random(2)
  %1 "product" = matmul(%x, @w)
  %2 = add(%1, @b)
  %3 = tanh(%2)
  %4 "sum" = add(%3, %2)
  %5 = relu(%4)
  %6 = cast(%5) {dtype = float32}
  %7 = exp(%6)
  %8 = cast(%7) {dtype = TYPE}
  %9 = multiply(%8, %4)
  return %9 "y", %4 "z"
})";

std::string graph_of(const char* type) {
  std::string text = kHalfGraph;
  for (size_t at = text.find("TYPE"); at != std::string::npos; at = text.find("TYPE")) text.replace(at, 4, type);
  return text;
}

ModelOptions half_on(const ChanceEngine& engine) {
  ModelOptions options;
  options.engines = {.engines = {use(engine)}, .min_ops = 1, .cache = FileCache({}, 0)};
  options.passes.disabled = {"engine_cost", "all"};
  return options;
}

Tensor as(DType type, const Tensor& x) {
  Tensor out = Tensor::make(type, x.shape());
  cast(kNoRun, x, type, out);
  return out;
}

float largest_difference(const Tensor& a, const Tensor& b) {
  EXPECT_EQ(a.dtype(), b.dtype());
  EXPECT_EQ(a.shape(), b.shape());
  const Tensor x = as(DType::kFloat32, a);
  const Tensor y = as(DType::kFloat32, b);
  float most = 0;
  for (int64_t i = 0; i < x.count(); ++i) {
    const float at = x.data<float>()[i];
    most = std::max(most, std::abs(at - y.data<float>()[i]) / std::max(1.0F, std::abs(at)));
  }
  return most;
}

class HalfBlocks : public testing::TestWithParam<const char*> {};

TEST_P(HalfBlocks, RunInFloat32) {
  const std::string text = graph_of(GetParam());
  const auto native = model_of(text, {.load = {}, .passes = {.disabled = {"all"}}, .kernels = {}});
  const DType type = native->info().inputs[0].dtype;
  const float least_step = type == DType::kFloat16 ? 0x1p-10F : 0x1p-7F;
  for (const unsigned seed : {1U, 2U, 3U, 4U, 5U, 6U}) {
    const auto engine = ChanceEngine::make("chance", seed, seed == 1 ? 100 : 60);
    const auto model = model_of(text, half_on(*engine));
    int blocks = 0;
    const Graph& graph = model->program()->graph();
    for (NodeId id : graph.order()) {
      const Node& node = graph.node(id);
      if (!node.op.is<EngineBlock>()) continue;
      ++blocks;
      const Graph& region = *node.regions[0];
      for (size_t v = 0; v < region.value_count(); ++v) {
        EXPECT_FALSE(is_half(region.fact(ValueId{static_cast<int32_t>(v)}).dtype)) << seed;
      }
      for (NodeId inner : region.order()) {
        const auto* cast = region.node(inner).op.as<Cast>();
        EXPECT_TRUE(cast == nullptr || !is_half(cast->dtype)) << "a cast to half rounds: it stays outside";
      }
    }
    EXPECT_GT(blocks, 0) << seed;
    for (const int64_t rows : {1, 3}) {
      const Tensor half = as(type, random_tensor({rows, 6}, 1));
      const std::vector<Tensor> expected = run_fresh(native, {half});
      const std::vector<Tensor> given = run_fresh(model, {half});
      ASSERT_EQ(given.size(), expected.size());
      for (size_t i = 0; i < given.size(); ++i) {
        EXPECT_LE(largest_difference(given[i], expected[i]), 4 * least_step) << seed;
      }
    }
    EXPECT_GT(engine->counts().runs, 0);
    // One that fails runs natively, with the same bits as this engine gives.
    engine->set_faults({.run = 1});
    const Tensor half = as(type, random_tensor({2, 6}, 1));
    const std::vector<Tensor> failed = run_fresh(model, {half});
    engine->set_faults({});
    EXPECT_TRUE(same_bits(run_fresh(model_of(text, half_on(*engine)), {half}), failed)) << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Types, HalfBlocks, testing::Values("float16", "bfloat16"),
                         [](const auto& info) { return std::string(info.param); });

/// A value that one block gives to another stays in float32.
TEST(HalfBlocks, NothingIsCastBetweenThem) {
  const auto first = ChanceEngine::make("first", 1, 100);
  const auto second = ChanceEngine::make("second", 1, 100);
  ModelOptions options = half_on(*first);
  options.engines.engines = {use(*first), use(*second)};
  options.engines.engines[0].automatic = false;
  options.engines.marks = {{.engine = 0, .kind = EngineMark::Kind::kType, .pattern = "tanh"}};
  const auto model = model_of(R"(graph (%x "x": float16[4]) {
  %1 = exp(%x)
  %2 = tanh(%1)
  %3 = relu(%2)
  return %3 "y"
})",
                              options);
  const Graph& graph = model->program()->graph();
  std::string order;
  for (NodeId id : graph.order()) order.append(graph.node(id).op.name()).append(" ");
  EXPECT_EQ(order, "cast engine_block engine_block engine_block cast ");
}

}  // namespace
}  // namespace coracle::internal::test
