// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/buffer.h"
#include "ops/common/indices.h"
#include "ops/index/scattering.h"

namespace coracle::internal {

/// x with rows replaced by those of `updates`: row index[i] by row i, the last one winning; or, without `overwrite`, by
/// the sum of all that name it.
struct Scatter {
  static constexpr const char* kName = "scatter";
  static constexpr const char* kLegacy[] = {"scatter"};
  static constexpr Port kInputs[] = {in("x", "X"), in("index", "Ids"), in("updates", "Updates")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  bool overwrite = true;
  void attributes(AttributeVisitor& visit) { visit("overwrite", overwrite); }
  friend bool operator==(const Scatter&, const Scatter&) = default;
};

inline void infer(const Scatter&, InferArgs& a) {
  const Shape& x = a.shape(0);
  Shape index = a.shape(1);
  require(!x.rank_known() || x.rank() > 0, "x is a scalar");
  require(a.dtype(0) == a.dtype(2), "x is ", a.dtype(0), " and updates ", a.dtype(2));
  if (index.rank_known() && index.rank() > 0) {
    require(index.rank() == 1 || (index.rank() == 2 && (index[1] < 0 || index[1] == 1)), "index is ", index,
            ", expected one dimension");
    index = Shape{index[0]};
  }
  require_updates(x, index, 1, a.shape(2));
  a.set(0, a.dtype(0), x);
}

inline void reference(const Scatter& op, ReferenceArgs& a) {
  copy_tensor(a.context(), a.in(0), a.out(0));
  const Shape& x = a.shape(0);
  const int64_t width = x.count(1, x.rank());
  Buffer<int64_t> rows = a.integers(1);
  for (size_t i = 0; i < rows.size(); ++i) {
    rows[i] = index_from_front(rows[i], x[0], "Ids", static_cast<int64_t>(i)) * width;
  }
  if (!op.overwrite) {
    const size_t element = size_of(a.in(0).dtype());
    for (int64_t row : rows) {
      std::memset(a.out(0).data<char>() + static_cast<size_t>(row) * element, 0, static_cast<size_t>(width) * element);
    }
  }
  scatter_rows(a.in(2), rows, width, !op.overwrite, a.out(0));
}

inline constexpr const OpSchema* scatter_op = &kOpSchema<Scatter>;

}  // namespace coracle::internal
