// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "graph/op.h"
#include "ops/control/conditions.h"

namespace coracle::internal {

/// Repeats its region while the condition holds. Operands: condition, carried values, captured values. The region takes
/// (condition, carried..., captured...) and gives (condition, carried...). Results: the carried values at the end.
struct While {
  static constexpr const char* kName = "while";
  static constexpr LodRule kLod = LodRule::kOwn;
  static constexpr Port kInputs[] = {in("condition", ""), list_in("carried", ""), list_in("captured", "")};
  static constexpr Port kOutputs[] = {list_out("out", "")};
  static constexpr int kRegions = 1;
  static constexpr bool kPure = false;
  static constexpr bool kAnyType = true;
  friend bool operator==(const While&, const While&) = default;
};

/// How often the types of carried values become wider one after the other, as where a loop hands them on from variable
/// to variable. After that nothing is known of any.
inline constexpr int kMaxLoopRounds = 32;

/// A carried value keeps of its type what the region does not change. Where the region does not take what stands before
/// the loop, as the placeholder of a variable that is written later, nothing is known.
inline void infer(const While&, InferArgs& a) {
  std::vector<Fact> state{a.in(0)};
  for (int i = 0; i < a.count(1); ++i) state.push_back(a.in(1, i));
  const size_t carried = state.size();
  for (Fact& f : state) f = joined(f, f);
  for (int i = 0; i < a.count(2); ++i) state.push_back(a.in(2, i));
  bool changed = true;
  for (int round = 0; changed; ++round) {
    changed = false;
    std::vector<Fact> next;
    try {
      next = a.infer_region(0, state);
    } catch (const Error&) {
      const auto end = state.begin() + static_cast<std::ptrdiff_t>(carried);
      if (std::none_of(state.begin(), end, [](const Fact& f) { return f.type_known(); })) throw;
      for (auto f = state.begin(); f != end; ++f) *f = joined(*f, Fact::unknown());
      changed = true;
      continue;
    }
    require(next.size() == carried, "the region of a while gives ", next.size(), " values, expected ", carried);
    for (size_t i = 0; i < carried; ++i) {
      Fact either = joined(state[i], next[i]);
      if (same_type(either, state[i])) continue;
      state[i] = std::move(either);
      changed = true;
    }
    for (size_t i = 0; changed && round >= kMaxLoopRounds && i < carried; ++i) {
      state[i] = joined(state[i], Fact::unknown());
    }
  }
  for (size_t i = 1; i < carried; ++i) a.out(0, static_cast<int>(i) - 1) = state[i];
}

inline void reference(const While&, ReferenceArgs& a) {
  std::vector<Tensor> state{a.in(0)};
  for (int i = 0; i < a.count(1); ++i) state.push_back(a.take(1, i));
  const size_t carried = state.size();
  while (holds(state[0])) {
    a.context().check();  // a region may be empty, and its condition stay
    for (int i = 0; i < a.count(2); ++i) state.push_back(a.in(2, i));
    state = a.run_region(0, std::move(state));
  }
  for (size_t i = 1; i < carried; ++i) a.out(0, static_cast<int>(i) - 1) = std::move(state[i]);
}

inline constexpr const OpSchema* while_op = &kOpSchema<While>;

}  // namespace coracle::internal
