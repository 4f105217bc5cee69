// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op.h"

/// Sequence offsets that results take over from operands, where the operator's rule is not LodRule::kFirst alone.
namespace coracle::internal {

/// Result i of output `to` has the sequence offsets of input `from`; nothing where the node has no such output.
inline void share_lod(InferArgs& a, int to, int from, int i = 0) {
  if (i < a.out_count(to) && a.has(from)) a.out(to, i).lod = a.in(from).lod;
}

/// Output 0 has the sequence offsets of input 0 where it has as many rows; its shape must have been set.
inline void share_lod_of_equal_rows(InferArgs& a) {
  const Shape& x = a.shape(0);
  const Shape& y = a.out(0).shape;
  if (!x.rank_known() || !y.rank_known() || x.rank() == 0 || y.rank() == 0) return;
  if (x[0] >= 0 && x[0] == y[0]) a.out(0).lod = a.in(0).lod;
}

}  // namespace coracle::internal
