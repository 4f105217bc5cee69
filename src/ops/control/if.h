// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op.h"
#include "ops/control/conditions.h"

namespace coracle::internal {

/// Region 0 where the condition holds, else region 1. Both take the captured values and give the results.
struct If {
  static constexpr const char* kName = "if";
  static constexpr LodRule kLod = LodRule::kOwn;
  static constexpr Port kInputs[] = {in("condition", ""), list_in("captured", "")};
  static constexpr Port kOutputs[] = {list_out("out", "")};
  static constexpr int kRegions = 2;
  static constexpr bool kPure = false;
  static constexpr bool kAnyType = true;
  friend bool operator==(const If&, const If&) = default;
};

/// What is known of either region's results; of a known condition only the region taken counts. A program may guard
/// what does not fit by a condition: where a region may or may not be taken, nothing is known of its results if its
/// types do not fit, and that the condition has one element is checked in a run.
inline void infer(const If&, InferArgs& a) {
  std::vector<Fact> captured;
  for (int i = 0; i < a.count(1); ++i) captured.push_back(a.in(1, i));
  const bool one = !a.shape(0).known() || a.shape(0).count() == 1;
  const std::optional<double> condition = one ? a.number(0) : std::nullopt;
  const auto outputs = static_cast<size_t>(a.out_count(0));
  const auto run = [&](int region) {
    std::vector<Fact> facts;
    try {
      facts = a.infer_region(region, captured);
    } catch (const Error&) {
      if (condition) throw;
      facts.assign(outputs, Fact::unknown());
    }
    require(facts.size() == outputs, "region ", region, " of an if gives ", facts.size(), " values, expected ",
            outputs);
    for (Fact& f : facts) f.value = nullptr;
    return facts;
  };
  std::vector<Fact> facts = run(condition && *condition == 0 ? 1 : 0);
  if (!condition) {
    const std::vector<Fact> other = run(1);
    for (size_t i = 0; i < outputs; ++i) facts[i] = joined(facts[i], other[i]);
  }
  for (size_t i = 0; i < outputs; ++i) a.out(0, static_cast<int>(i)) = facts[i];
}

inline void reference(const If&, ReferenceArgs& a) {
  std::vector<Tensor> captured;
  for (int i = 0; i < a.count(1); ++i) captured.push_back(a.take(1, i));
  std::vector<Tensor> results = a.run_region(holds(a.in(0)) ? 0 : 1, std::move(captured));
  for (int i = 0; i < a.out_count(0); ++i) a.out(0, i) = std::move(results[static_cast<size_t>(i)]);
}

inline constexpr const OpSchema* if_op = &kOpSchema<If>;

}  // namespace coracle::internal
