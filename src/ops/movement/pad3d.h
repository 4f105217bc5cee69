// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/movement/movement.h"
#include "ops/movement/padding.h"

namespace coracle::internal {

/// Volumes with a border; paddings are left, right, top, bottom, front, back.
struct Pad3d {
  static constexpr const char* kName = "pad3d";
  static constexpr const char* kLegacy[] = {"pad3d"};
  static constexpr Port kInputs[] = {in("x", "X"), shape_in("paddings", "paddings", "Paddings")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  std::string mode = "constant";
  double pad_value = 0;
  std::string data_format = "NCDHW";
  void attributes(AttributeVisitor& visit) {
    visit("mode", mode);
    visit("pad_value", pad_value, "value");
    visit("data_format", data_format);
  }
  friend bool operator==(const Pad3d&, const Pad3d&) = default;
};

inline std::vector<PadAmount> pad_amounts(const Pad3d& op, const Ints& p) {
  require(p.size() == 6, "pad3d has ", p.size(), " paddings, expected 6");
  const PadAmount depth{p[4], p[5]};
  const PadAmount height{p[2], p[3]};
  const PadAmount width{p[0], p[1]};
  if (channels_are_last(op.data_format)) return {{}, depth, height, width, {}};
  return {{}, {}, depth, height, width};
}

inline void infer(const Pad3d& op, InferArgs& a) {
  const Shape& x = a.shape(0);
  const PadMode mode = pad_mode_of(op.mode);
  require(!x.rank_known() || x.rank() == 5, "pad3d needs 5 dimensions, given x ", x);
  const std::optional<Ints> paddings = a.has(1) ? a.ints(1) : Ints(6, 0);
  if (!x.rank_known() || !paddings) return a.set(0, a.dtype(0), Shape::filled(5, Shape::kUnknown));
  a.set(0, a.dtype(0), padded_shape(x, pad_amounts(op, *paddings), mode));
}

inline void reference(const Pad3d& op, ReferenceArgs& a) {
  const Ints paddings = a.has(1) ? a.in(1).integers(a.context()) : Ints(6, 0);
  pad_tensor(a.in(0), pad_amounts(op, paddings), pad_mode_of(op.mode), op.pad_value, a.out(0));
}

inline constexpr const OpSchema* pad3d_op = &kOpSchema<Pad3d>;

}  // namespace coracle::internal
