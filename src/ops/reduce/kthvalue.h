// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/index/selection.h"

namespace coracle::internal {

/// The k-th smallest element along `axis` (k counts from 1) and its index; of equal ones the one that
/// selection.h says.
struct Kthvalue {
  static constexpr const char* kName = "kthvalue";
  static constexpr const char* kLegacy[] = {"kthvalue"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out"), out("indices", "Indices")};
  static constexpr LodRule kLod = LodRule::kFirst;
  int k = 1;
  int axis = -1;
  bool keepdim = false;
  void attributes(AttributeVisitor& visit) {
    visit("k", k);
    visit("axis", axis);
    visit("keepdim", keepdim);
  }
  friend bool operator==(const Kthvalue&, const Kthvalue&) = default;
};

inline void infer(const Kthvalue& op, InferArgs& a) {
  const Shape& x = a.shape(0);
  if (x.rank_known()) {
    const int axis = sorting_axis(op.axis, x);
    const int64_t dim = x.is_scalar() ? 1 : x[axis];
    require(op.k >= 1 && (dim < 0 || op.k <= dim), "k is ", op.k, ", x has ", dim, " elements on axis ", axis);
  }
  infer_one_per_row(a, op.axis, op.keepdim);
}

inline void reference(const Kthvalue& op, ReferenceArgs& a) {
  reference_one_per_row(a, op.axis, [&](std::span<const int64_t> keys) {
    Buffer<Ranked> elements(keys.size(), a.context());
    for (size_t i = 0; i < keys.size(); ++i) elements[i] = {keys[i], static_cast<int64_t>(i)};
    LoopCheck check(a.context());
    take_nth(elements.data(), static_cast<int64_t>(keys.size()), op.k, &check);
    return elements[static_cast<size_t>(op.k) - 1].index;
  });
}

inline constexpr const OpSchema* kthvalue_op = &kOpSchema<Kthvalue>;

}  // namespace coracle::internal
