// SPDX-License-Identifier: Apache-2.0
#include "run_block.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/random_graph.h"

namespace coracle::internal::test {

std::vector<Fact> facts_for(const Graph& graph, const std::vector<Tensor>& inputs) {
  std::vector<Fact> facts;
  for (const Tensor& t : inputs) facts.emplace_back(t.dtype(), t.shape());
  return infer_graph(graph, facts);
}

std::shared_ptr<const CompiledBlock> compile_block(const Engine& engine, const Graph& graph,
                                                   const std::vector<Tensor>& inputs, int threads) {
  const std::vector<Fact> facts = facts_for(graph, inputs);
  const EngineOptions options;
  return engine.compile({graph, facts, threads, options});
}

std::vector<Tensor> run_block(BlockRun& run, const Graph& graph, const std::vector<Tensor>& inputs) {
  const std::vector<Fact> facts = facts_for(graph, inputs);
  std::vector<Tensor> outputs;
  for (ValueId v : graph.outputs()) {
    Tensor t = Tensor::make(facts[index(v)].dtype, facts[index(v)].shape);
    if (t.dtype() == DType::kFloat32) std::fill_n(t.data<float>(), t.count(), 1e30F);
    if (t.dtype() == DType::kInt8) std::fill_n(t.data<int8_t>(), t.count(), int8_t{77});
    outputs.push_back(t);
  }
  run.run(inputs, outputs);
  return outputs;
}

void expect_near(const std::vector<Tensor>& got, const std::vector<Tensor>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t k = 0; k < got.size(); ++k) {
    ASSERT_EQ(got[k].shape(), want[k].shape());
    ASSERT_EQ(got[k].dtype(), want[k].dtype());
    for (int64_t i = 0; i < got[k].count(); ++i) {
      const double g = got[k].number(i);
      const double w = want[k].number(i);
      const double allowed = want[k].dtype() == DType::kInt8 ? 1 : 1e-4 * std::abs(w) + 1e-5;
      ASSERT_TRUE(std::abs(g - w) <= allowed) << "output " << k << ", element " << i << ": " << g << ", expected " << w;
    }
  }
}

std::vector<Tensor> random_inputs(const Graph& graph, unsigned seed) {
  std::vector<Tensor> inputs;
  for (ValueId v : graph.inputs()) inputs.push_back(random_tensor(graph.fact(v).shape, seed++));
  return inputs;
}

}  // namespace coracle::internal::test
