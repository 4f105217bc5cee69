// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/joining.h"

namespace coracle {

/// Region 0 where the condition holds, else region 1. Both take the captured values and give the results.
struct If {
  static constexpr const char* kName = "if";
  static constexpr LodRule kLod = LodRule::kOwn;
  static constexpr Port kInputs[] = {in("condition", ""), list_in("captured", "")};
  static constexpr Port kOutputs[] = {list_out("out", "")};
  static constexpr int kRegions = 2;
  static constexpr bool kPure = false;
  friend bool operator==(const If&, const If&) = default;
};

/// What both regions agree on; of a known condition only the region taken counts.
inline void infer(const If&, InferArgs& a) {
  require(!a.shape(0).known() || a.shape(0).count() == 1, "the condition is ", a.shape(0), ", expected one element");
  std::vector<Fact> captured;
  for (int i = 0; i < a.count(1); ++i) captured.push_back(a.in(1, i));
  const std::optional<double> condition = a.number(0);
  const auto outputs = static_cast<size_t>(a.out_count(0));
  const auto run = [&](int region) {
    std::vector<Fact> facts = a.infer_region(region, captured);
    require(facts.size() == outputs, "region ", region, " of an if gives ", facts.size(), " values, expected ",
            outputs);
    for (Fact& f : facts) f.value = nullptr;
    return facts;
  };
  std::vector<Fact> facts = run(condition && *condition == 0 ? 1 : 0);
  if (!condition) {
    const std::vector<Fact> other = run(1);
    for (size_t i = 0; i < outputs; ++i) {
      require(facts[i].dtype == other[i].dtype && facts[i].is_array == other[i].is_array, "result ", i, " of an if is ",
              facts[i].dtype, facts[i].is_array ? " array" : "", " in one region and ", other[i].dtype,
              other[i].is_array ? " array" : "", " in the other");
      facts[i].shape = joined(facts[i].shape, other[i].shape);
      facts[i].lod = nullptr;
    }
  }
  for (size_t i = 0; i < outputs; ++i) a.out(0, static_cast<int>(i)) = facts[i];
}

inline void reference(const If&, ReferenceArgs& a) {
  std::vector<Tensor> captured;
  for (int i = 0; i < a.count(1); ++i) captured.push_back(a.in(1, i));
  const std::vector<Tensor> results = a.run_region(a.in(0).number(0) != 0 ? 0 : 1, captured);
  for (int i = 0; i < a.out_count(0); ++i) a.out(0, i) = results[static_cast<size_t>(i)];
}

inline constexpr const OpRow* if_op = &kOpRow<If>;

}  // namespace coracle
