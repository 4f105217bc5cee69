// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op.h"
#include "ops/common/sharing_lod.h"
#include "ops/movement/movement.h"

namespace coracle::internal {

/// Dimensions start_axis to stop_axis (inclusive) become one.
struct Flatten {
  static constexpr const char* kName = "flatten";
  static constexpr const char* kLegacy[] = {"flatten_contiguous_range"};
  static constexpr LodRule kLod = LodRule::kDerived;
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out"), optional_out("xshape", "XShape")};
  static constexpr bool kReshapes = true;
  int start_axis = 1;
  int stop_axis = 1;
  void attributes(AttributeVisitor& visit) {
    visit("start_axis", start_axis);
    visit("stop_axis", stop_axis);
  }
  friend bool operator==(const Flatten&, const Flatten&) = default;
};

inline void infer(const Flatten& op, InferArgs& a) {
  const Shape& x = a.shape(0);
  a.set(0, a.dtype(0), Shape::unknown_rank());
  a.set(1, a.dtype(0), Shape{0});
  if (!x.rank_known()) return;
  if (x.is_scalar()) return a.set(0, a.dtype(0), Shape{1});
  const int start = normalize_axis(op.start_axis, x.rank(), "start_axis");
  const int stop = normalize_axis(op.stop_axis, x.rank(), "stop_axis");
  require(start <= stop, "start_axis ", start, " is behind stop_axis ", stop);
  Shape y;
  int64_t product = 1;
  for (int i = 0; i < x.rank(); ++i) {
    if (i < start || i > stop) {
      y.push_back(x[i]);
      continue;
    }
    product = product < 0 || x[i] < 0 ? Shape::kUnknown : checked_multiply(product, x[i]);
    if (i == stop) y.push_back(product);
  }
  a.set(0, a.dtype(0), y);
  share_lod_of_equal_rows(a);
}

inline void reference(const Flatten&, ReferenceArgs& a) { copy_tensor(a.context(), a.in(0), a.out(0)); }

inline constexpr const OpSchema* flatten_op = &kOpSchema<Flatten>;

}  // namespace coracle::internal
