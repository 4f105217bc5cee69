// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "graph/op.h"

namespace coracle::internal {

/// Nodes that an engine runs as one: the region is what it compiles, and what runs natively wherever it does not. The
/// region takes the operands and gives the results; what follows from its types stands there.
struct EngineBlock {
  static constexpr const char* kName = "engine_block";
  static constexpr LodRule kLod = LodRule::kOwn;
  static constexpr Port kInputs[] = {list_in("x", "")};
  static constexpr Port kOutputs[] = {list_out("out", "")};
  static constexpr int kRegions = 1;
  static constexpr bool kPure = false;  // it stays as it was cut
  static constexpr bool kAnyType = true;

  std::string engine;  ///< as people write it: "openvino:GPU"

  void attributes(AttributeVisitor& visit) { visit("engine", engine); }
  friend bool operator==(const EngineBlock&, const EngineBlock&) = default;
};

inline void infer(const EngineBlock&, InferArgs& a) {
  std::vector<Fact> operands;
  for (int i = 0; i < a.count(0); ++i) operands.push_back(a.in(0, i));
  const std::vector<Fact> results = a.infer_region(0, operands);
  require(static_cast<int>(results.size()) == a.out_count(0), "the region of an engine_block gives ", results.size(),
          " values, expected ", a.out_count(0));
  for (int i = 0; i < a.out_count(0); ++i) {
    a.out(0, i) = results[static_cast<size_t>(i)];
    a.out(0, i).value = nullptr;
  }
}

inline void reference(const EngineBlock&, ReferenceArgs& a) {
  std::vector<Tensor> operands;
  for (int i = 0; i < a.count(0); ++i) operands.push_back(a.take(0, i));
  std::vector<Tensor> results = a.run_region(0, std::move(operands));
  for (int i = 0; i < a.out_count(0); ++i) a.out(0, i) = std::move(results[static_cast<size_t>(i)]);
}

inline constexpr const OpSchema* engine_block = &kOpSchema<EngineBlock>;

}  // namespace coracle::internal
