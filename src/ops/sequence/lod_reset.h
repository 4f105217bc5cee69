// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/movement/movement.h"
#include "ops/sequence/sequences.h"

namespace coracle::internal {

/// x with other sequence offsets: those of y, the numbers in y where it has none, or target_lod. With append they
/// become another, finer level.
struct LodReset {
  static constexpr const char* kName = "lod_reset";
  static constexpr const char* kLegacy[] = {"lod_reset"};
  static constexpr LodRule kLod = LodRule::kOwn;
  static constexpr Port kInputs[] = {in("x", "X"), shape_in("y", "", "Y")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  Ints target_lod;
  bool append = false;
  void attributes(AttributeVisitor& visit) {
    visit("target_lod", target_lod);
    visit("append", append);
  }
  friend bool operator==(const LodReset&, const LodReset&) = default;
};

/// The offsets of the result; `numbers` are those of an operand y without offsets.
inline Lod reset_offsets(const LodReset& op, const Lod* of_x, const Lod* of_y, const Ints* numbers, int64_t rows) {
  Lod lod;
  if (op.append && of_x != nullptr) lod = *of_x;
  if (of_y != nullptr && !of_y->empty()) {
    lod.insert(lod.end(), of_y->begin(), of_y->end());
    return lod;
  }
  const Ints& level = numbers != nullptr ? *numbers : op.target_lod;
  const Lod added = one_level(level);
  if (rows >= 0) sequence_offsets(added, rows);  // throws where they do not fit
  lod.push_back(added[0]);
  return lod;
}

inline void infer(const LodReset& op, InferArgs& a) {
  const Shape& x = a.shape(0);
  require(a.has(1) || !op.target_lod.empty(), "lod_reset has neither y nor target_lod");
  a.set(0, a.dtype(0), x);
  const int64_t rows = x.rank_known() && x.rank() > 0 ? x[0] : Shape::kUnknown;
  const Lod* of_y = a.has(1) ? a.in(1).lod.get() : nullptr;
  std::optional<Ints> numbers;
  if (a.has(1) && of_y == nullptr) {
    // Real numbers cannot be offsets: the offsets of such a y are not known yet.
    if (is_float(a.dtype(1)) || !(numbers = a.ints(1))) {
      a.set(0, a.dtype(0), with_rows(x, Shape::kUnknown));
      return;
    }
  }
  set_lod(a.out(0), reset_offsets(op, a.in(0).lod.get(), of_y, numbers ? &*numbers : nullptr, rows));
}

inline void reference(const LodReset& op, ReferenceArgs& a) {
  if (a.out(0).empty_handle()) {
    a.out(0) = a.make(a.in(0).dtype(), a.shape(0));
    const Lod* of_y = a.has(1) ? &a.in(1).lod() : nullptr;
    Ints numbers;
    if (of_y != nullptr && of_y->empty()) numbers = a.in(1).integers(a.context());
    const int64_t rows = a.shape(0).rank() > 0 ? a.shape(0)[0] : 1;
    a.out(0).set_lod(reset_offsets(op, &a.in(0).lod(), of_y, a.has(1) ? &numbers : nullptr, rows));
  }
  copy_tensor(a.context(), a.in(0), a.out(0));
}

inline constexpr const OpSchema* lod_reset_op = &kOpSchema<LodReset>;

}  // namespace coracle::internal
