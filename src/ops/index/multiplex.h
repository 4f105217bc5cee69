// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "base/long_loop.h"
#include "ops/common/indices.h"
#include "ops/common/joining.h"

namespace coracle::internal {

/// Row i of the result is row i of operand index[i].
struct Multiplex {
  static constexpr const char* kName = "multiplex";
  static constexpr const char* kLegacy[] = {"multiplex"};
  static constexpr Port kInputs[] = {list_in("inputs", "X"), in("index", "Ids")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  friend bool operator==(const Multiplex&, const Multiplex&) = default;
};

inline void infer(const Multiplex&, InferArgs& a) {
  const DType dtype = common_dtype(a, 0);
  Shape y = a.shape(0);
  for (int i = 1; i < a.count(0); ++i) y = met(y, a.shape(0, i));
  require(!y.rank_known() || y.rank() > 0, "multiplex of scalars");
  const Shape& index = a.shape(1);
  require(!y.rank_known() || !index.known() || y[0] <= index.count(), "index ", index,
          " has less elements than there are rows in ", y);
  a.set(0, dtype, y);
}

inline void reference(const Multiplex&, ReferenceArgs& a) {
  const Shape& y = a.out(0).shape();
  const size_t bytes = static_cast<size_t>(y.count(1, y.rank())) * size_of(a.out(0).dtype());
  LoopCheck check(a.context());
  for (int64_t r = 0; r < y[0] && bytes != 0; ++r) {
    const int64_t from = checked_index(a.in(1).integer(r), a.count(0), "Ids", r);
    const size_t at = static_cast<size_t>(r) * bytes;
    copy_piece(a.out(0).data<char>() + at, a.in(0, static_cast<int>(from)).data<char>() + at, bytes, check);
  }
}

inline constexpr const OpSchema* multiplex_op = &kOpSchema<Multiplex>;

}  // namespace coracle::internal
