// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"
#include "plan/engine.h"

/// The engine `openvino` against the operators' references.
namespace coracle::internal::test {

/// The engine, whose library is looked for in the tests' own environment unless CORACLE_OPENVINO is set.
const Engine& openvino_engine();

/// Reproducible inputs for facts that are known. The name of an input may give the range of its elements: "0.1..2".
std::vector<Tensor> inputs_for(const Graph& graph, std::span<const Shape> shapes = {});

/// Compiles a whole graph for these inputs and runs it.
std::vector<Tensor> run_by_engine(const Graph& graph, std::span<const Tensor> inputs, int threads = 1,
                                  const EngineOptions& options = {});

/// Where two lists of results differ by more than `relative` (of the larger of 1 and the wanted number): empty if
/// nowhere. What is not a number must be none in both.
std::string difference(std::span<const Tensor> got, std::span<const Tensor> want, double relative = 1e-4);

/// What is wrong with the engine's results for a graph, or why it refuses it; empty if all is well.
std::string complaint_of(const Graph& graph, std::span<const Tensor> inputs, int threads = 1);

struct EngineCase {
  std::string title;
  std::string graph;   ///< as text
  std::string reason;  ///< what stands behind "=>": why it is refused
};
std::vector<EngineCase> engine_cases(const std::string& file);
/// The files of cases in a folder, sorted.
std::vector<std::string> case_files();

}  // namespace coracle::internal::test

/// Skips where there is no OpenVINO.
#define CORACLE_NEEDS_OPENVINO()                                                                              \
  do {                                                                                                        \
    if (const std::string missing = ::coracle::internal::test::openvino_engine().missing(); !missing.empty()) \
      GTEST_SKIP() << missing << "; or make the tests' environment: make engines";                            \
  } while (false)
