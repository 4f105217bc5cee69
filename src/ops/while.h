// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op.h"

namespace coracle {

/// Repeats its region while the condition holds. Operands: condition, carried values, captured values. The region takes
/// (condition, carried..., captured...) and gives (condition, carried...). Results: the carried values at the end.
struct While {
  static constexpr const char* kName = "while";
  static constexpr LodRule kLod = LodRule::kOwn;
  static constexpr Port kInputs[] = {in("condition", ""), list_in("carried", ""), list_in("captured", "")};
  static constexpr Port kOutputs[] = {list_out("out", "")};
  static constexpr int kRegions = 1;
  static constexpr bool kPure = false;
  friend bool operator==(const While&, const While&) = default;
};

/// A carried value keeps of its type what the region does not change: where the region gives another shape, the
/// differing dimensions are unknown.
inline void infer(const While&, InferArgs& a) {
  std::vector<Fact> state{a.in(0)};
  for (int i = 0; i < a.count(1); ++i) state.push_back(a.in(1, i));
  const size_t carried = state.size();
  for (Fact& f : state) f.value = nullptr;
  for (int i = 0; i < a.count(2); ++i) state.push_back(a.in(2, i));
  bool changed = true;
  while (changed) {
    changed = false;
    const std::vector<Fact> next = a.infer_region(0, state);
    require(next.size() == carried, "the region of a while gives ", next.size(), " values, expected ", carried);
    for (size_t i = 0; i < carried; ++i) {
      Shape& s = state[i].shape;
      const Shape& n = next[i].shape;
      if (!s.rank_known()) continue;
      if (!n.rank_known() || n.rank() != s.rank()) {
        s = Shape::unknown_rank();
        changed = true;
        continue;
      }
      for (int d = 0; d < s.rank(); ++d) {
        if (s[d] >= 0 && n[d] != s[d]) {
          s[d] = Shape::kUnknown;
          changed = true;
        }
      }
    }
  }
  for (size_t i = 1; i < carried; ++i) a.out(0, static_cast<int>(i) - 1) = state[i];
}

inline void reference(const While&, ReferenceArgs& a) {
  std::vector<Tensor> state{a.in(0)};
  for (int i = 0; i < a.count(1); ++i) state.push_back(a.in(1, i));
  const size_t carried = state.size();
  while (state[0].number(0) != 0) {
    for (int i = 0; i < a.count(2); ++i) state.push_back(a.in(2, i));
    state = a.run_region(0, state);
  }
  for (size_t i = 1; i < carried; ++i) a.out(0, static_cast<int>(i) - 1) = state[i];
}

inline constexpr const OpRow* while_op = &kOpRow<While>;

}  // namespace coracle
