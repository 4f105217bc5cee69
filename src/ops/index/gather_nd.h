// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/copy_bytes.h"
#include "ops/index/gathering.h"

namespace coracle::internal {

/// Each row of index (its last dimension) addresses the leading dimensions of x: the result is what stands there.
struct GatherNd {
  static constexpr const char* kName = "gather_nd";
  static constexpr const char* kLegacy[] = {"gather_nd"};
  static constexpr Port kInputs[] = {in("x", "X"), in("index", "Index")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  friend bool operator==(const GatherNd&, const GatherNd&) = default;
};

inline void infer(const GatherNd&, InferArgs& a) {
  const Shape& x = a.shape(0);
  const Shape& index = a.shape(1);
  a.set(0, a.dtype(0), Shape::unknown_rank());
  if (!x.rank_known() || !index.rank_known()) return;
  const int64_t depth = index.is_scalar() ? 1 : index.back();
  if (depth < 0) return;
  require(depth <= x.rank(), "index ", index, " addresses ", depth, " dimensions of x ", x);
  Shape y;
  for (int i = 0; i + 1 < index.rank(); ++i) y.push_back(index[i]);
  for (int i = static_cast<int>(depth); i < x.rank(); ++i) y.push_back(x[i]);
  a.set(0, a.dtype(0), y);
}

inline void reference(const GatherNd&, ReferenceArgs& a) {
  const Tensor& x = a.in(0);
  const Shape& index = a.shape(1);
  const int depth = static_cast<int>(index.is_scalar() ? 1 : index.back());
  const size_t element = size_of(x.dtype());
  const size_t bytes = static_cast<size_t>(x.shape().count(depth, x.shape().rank())) * element;
  char* to = a.out(0).data<char>();
  for (int64_t at : row_positions(a.context(), a.in(1), x.shape())) {
    copy_bytes(to, x.data<char>() + static_cast<size_t>(at) * element, bytes);
    to += bytes;
  }
}

inline constexpr const OpSchema* gather_nd_op = &kOpSchema<GatherNd>;

}  // namespace coracle::internal
