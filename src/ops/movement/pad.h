// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/movement/padding.h"

namespace coracle::internal {

/// x with pad_value around it: paddings[2 i] before and paddings[2 i + 1] behind dimension i.
struct Pad {
  static constexpr const char* kName = "pad";
  static constexpr const char* kLegacy[] = {"pad"};
  static constexpr Port kInputs[] = {in("x", "X"), value_in("pad_value", "pad_value")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  Ints paddings;
  void attributes(AttributeVisitor& visit) { visit("paddings", paddings); }
  friend bool operator==(const Pad&, const Pad&) = default;
};

inline std::vector<PadAmount> pad_amounts(const Pad& op) {
  std::vector<PadAmount> amounts;
  for (size_t i = 0; i + 1 < op.paddings.size(); i += 2) amounts.push_back({op.paddings[i], op.paddings[i + 1]});
  return amounts;
}

inline void infer(const Pad& op, InferArgs& a) {
  const Shape& x = a.shape(0);
  if (!x.rank_known()) return a.set(0, a.dtype(0), Shape::filled(static_cast<int>(op.paddings.size() / 2), -1));
  require(op.paddings.size() == 2 * static_cast<size_t>(x.rank()), "pad has ", op.paddings.size(), " paddings for x ",
          x);
  a.set(0, a.dtype(0), padded_shape(x, pad_amounts(op), PadMode::kConstant));
}

inline void reference(const Pad& op, ReferenceArgs& a) {
  pad_tensor(a.in(0), pad_amounts(op), PadMode::kConstant, a.has(1) ? a.in(1).number(0) : 0.0, a.out(0));
}

inline constexpr const OpSchema* pad_op = &kOpSchema<Pad>;

}  // namespace coracle::internal
