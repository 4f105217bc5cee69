// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op.h"
#include "ops/movement/expanding.h"

namespace coracle::internal {

/// The first `expand_as` of Paddle: x repeated until it has the shape of the target, whose dimensions are multiples.
struct LegacyExpandAs {
  static constexpr const char* kName = "legacy_expand_as";
  static constexpr const char* kLegacy[] = {"expand_as"};
  static constexpr Port kInputs[] = {in("x", "X"), in("target_tensor", "target_tensor")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  friend bool operator==(const LegacyExpandAs&, const LegacyExpandAs&) = default;
};

inline void infer(const LegacyExpandAs&, InferArgs& a) {
  const Shape& x = a.shape(0);
  const Shape& target = a.shape(1);
  a.set(0, a.dtype(0), target);
  if (!x.known() || !target.known()) return;
  bool fits = x.rank() == target.rank();
  for (int i = 0; fits && i < x.rank(); ++i) fits = x[i] == 0 ? target[i] == 0 : target[i] % x[i] == 0;
  require(fits, "x ", x, " cannot be repeated to ", target);
}

inline void reference(const LegacyExpandAs&, ReferenceArgs& a) {
  Ints times;
  for (int i = 0; i < a.shape(0).rank(); ++i) times.push_back(a.shape(0)[i] == 0 ? 1 : a.shape(1)[i] / a.shape(0)[i]);
  gather_elements(a.context(), a.in(0), tile_steps(a.shape(0), times), a.out(0));
}

inline constexpr const OpSchema* legacy_expand_as_op = &kOpSchema<LegacyExpandAs>;

}  // namespace coracle::internal
