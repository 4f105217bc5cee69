// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "graph/op.h"
#include "ops/detection/boxes.h"
#include "ops/rnn/recurrent.h"

/// Tensors of sequences: rows (elements of dimension 0) one after the other, sequence offsets in the tensor's Lod. A
/// tensor without offsets is one sequence; while planning it may also be one of which nothing is known yet.
namespace coracle::internal {

/// The offsets of the finest level, empty where there are none.
inline std::vector<int64_t> known_offsets(const Fact& x) {
  if (x.lod == nullptr || x.lod->empty()) return {};
  return {x.lod->back().begin(), x.lod->back().end()};
}

inline std::vector<int64_t> offsets_of(const Tensor& x) {
  return sequence_offsets(x.lod(), x.shape().rank() > 0 ? x.shape()[0] : 1);
}

inline void set_lod(Fact& fact, Lod lod) { fact.lod = std::make_shared<const Lod>(std::move(lod)); }

/// Elements of one row.
inline int64_t row_count(const Shape& x) { return x.count(1, x.rank()); }

/// The shape of x with another number of rows.
inline Shape with_rows(Shape x, int64_t rows) {
  if (x.rank_known()) {
    require(x.rank() > 0, "x is a scalar, expected rows");
    x[0] = rows;
  }
  return x;
}

/// Error where x, known or not, has another number of elements than one a row.
inline void require_one_per_row(const Shape& x, const char* name) {
  require(!x.rank_known() || x.rank() == 1 || (x.rank() == 2 && (x[1] < 0 || x[1] == 1)), name, " is ", x,
          ", expected [N, 1]");
}

/// Bytes of one row.
inline size_t row_bytes(const Tensor& x) { return static_cast<size_t>(row_count(x.shape())) * size_of(x.dtype()); }

}  // namespace coracle::internal
