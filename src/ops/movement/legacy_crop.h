// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/movement/crop.h"

namespace coracle::internal {

/// The first `crop` of Paddle: the box of the shape of y, or of `shape` where y is absent, at `offsets`.
struct LegacyCrop {
  static constexpr const char* kName = "legacy_crop";
  static constexpr const char* kLegacy[] = {"crop"};
  static constexpr Port kInputs[] = {in("x", "X"), optional_in("y", "Y"), shape_in("offsets", "offsets", "Offsets")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  Ints shape;
  void attributes(AttributeVisitor& visit) { visit("shape", shape); }
  friend bool operator==(const LegacyCrop&, const LegacyCrop&) = default;
};

inline void infer(const LegacyCrop& op, InferArgs& a) {
  const Shape& x = a.shape(0);
  const Shape wanted = a.has(1) ? a.shape(1) : Shape(op.shape);
  std::optional<Ints> offsets = a.has(2) ? a.ints(2) : Ints{};
  Shape y = wanted;
  if (x.rank_known() && wanted.rank_known() && offsets) {
    if (offsets->empty()) offsets->assign(static_cast<size_t>(x.rank()), 0);
    const Shape box = cropped_shape(x, Ints(wanted.begin(), wanted.end()), *offsets);
    if (!a.has(1) || wanted.known()) y = box;
  }
  a.set(0, a.dtype(0), y);
}

inline void reference(const LegacyCrop&, ReferenceArgs& a) {
  Ints offsets = a.has(2) ? a.in(2).integers(a.context()) : Ints{};
  offsets.resize(static_cast<size_t>(a.shape(0).rank()), 0);
  crop_box(a.context(), a.in(0), offsets, a.out(0));
}

inline constexpr const OpSchema* legacy_crop_op = &kOpSchema<LegacyCrop>;

}  // namespace coracle::internal
