// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/movement/movement.h"
#include "ops/movement/padding.h"

namespace coracle::internal {

/// Images with a border; paddings are top, bottom, left, right.
struct Pad2d {
  static constexpr const char* kName = "pad2d";
  static constexpr const char* kLegacy[] = {"pad2d"};
  static constexpr Port kInputs[] = {in("x", "X"), shape_in("paddings", "paddings", "Paddings")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  std::string mode = "constant";
  double pad_value = 0;
  std::string data_format = "NCHW";
  void attributes(AttributeVisitor& visit) {
    visit("mode", mode);
    visit("pad_value", pad_value);
    visit("data_format", data_format);
  }
  friend bool operator==(const Pad2d&, const Pad2d&) = default;
};

inline std::vector<PadAmount> pad_amounts(const Pad2d& op, const Ints& p) {
  require(p.size() == 4, "pad2d has ", p.size(), " paddings, expected 4");
  const PadAmount height{p[0], p[1]};
  const PadAmount width{p[2], p[3]};
  if (channels_are_last(op.data_format)) return {{}, height, width, {}};
  return {{}, {}, height, width};
}

inline void infer(const Pad2d& op, InferArgs& a) {
  const Shape& x = a.shape(0);
  const PadMode mode = pad_mode_of(op.mode);
  require(!x.rank_known() || x.rank() == 4, "pad2d needs 4 dimensions, given x ", x);
  const std::optional<Ints> paddings = a.has(1) ? a.ints(1) : Ints(4, 0);
  if (!x.rank_known() || !paddings) return a.set(0, a.dtype(0), Shape::filled(4, Shape::kUnknown));
  a.set(0, a.dtype(0), padded_shape(x, pad_amounts(op, *paddings), mode));
}

inline void reference(const Pad2d& op, ReferenceArgs& a) {
  const Ints paddings = a.has(1) ? a.in(1).integers(a.context()) : Ints(4, 0);
  pad_tensor(a.in(0), pad_amounts(op, paddings), pad_mode_of(op.mode), op.pad_value, a.out(0));
}

inline constexpr const OpSchema* pad2d_op = &kOpSchema<Pad2d>;

}  // namespace coracle::internal
