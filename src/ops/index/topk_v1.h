// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/index/topk.h"

namespace coracle::internal {

/// Of equal elements `top_k` takes what a partial sort takes.
inline constexpr Selection kTopkV1Selection{.by_partial_sort = true};

/// The first `top_k` of Paddle: the k largest elements of each row (last dimension) and their indices.
struct TopkV1 {
  static constexpr const char* kName = "topk_v1";
  static constexpr const char* kLegacy[] = {"top_k"};
  static constexpr Port kInputs[] = {in("x", "X"), shape_in("k", "k", "K")};
  static constexpr Port kOutputs[] = {out("out", "Out"), out("indices", "Indices")};
  static constexpr LodRule kLod = LodRule::kFirst;
  friend bool operator==(const TopkV1&, const TopkV1&) = default;
};

inline void infer(const TopkV1&, InferArgs& a) { infer_topk(a, -1); }

inline void reference(const TopkV1&, ReferenceArgs& a) {
  const int axis = sorting_axis(-1, a.shape(0));
  const int64_t k = a.shape(0).is_scalar() ? 1 : a.out(0).shape()[axis];
  take_selected(a.context(), a.in(0), axis, k, kTopkV1Selection, a.out(0), a.wants(1) ? &a.out(1) : nullptr);
}

inline constexpr const OpSchema* topk_v1_op = &kOpSchema<TopkV1>;

}  // namespace coracle::internal
