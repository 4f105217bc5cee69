// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "plan/engine.h"

namespace coracle::internal::test {

/// The facts of a graph's values for tensors as its inputs, whose elements are not known.
std::vector<Fact> facts_for(const Graph& graph, const std::vector<Tensor>& inputs);

/// Compiles a graph for the types of the inputs.
std::shared_ptr<const CompiledBlock> compile_block(const Engine& engine, const Graph& graph,
                                                   const std::vector<Tensor>& inputs, int threads);

/// The outputs of a run, in memory that was filled with something else before.
std::vector<Tensor> run_block(BlockRun& run, const Graph& graph, const std::vector<Tensor>& inputs);

/// Compares with tensors of equal type: differences of at most 1e-4 relative, or 1e-5; of int8 one step.
void expect_near(const std::vector<Tensor>& got, const std::vector<Tensor>& want);

/// A tensor for each input of a graph, whose types are known.
std::vector<Tensor> random_inputs(const Graph& graph, unsigned seed);

}  // namespace coracle::internal::test
