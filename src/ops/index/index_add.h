// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/buffer.h"
#include "ops/common/indices.h"
#include "ops/index/scattering.h"

namespace coracle::internal {

/// x with slice i of `add_value` added to its slice index[i] along `axis`.
struct IndexAdd {
  static constexpr const char* kName = "index_add";
  static constexpr const char* kLegacy[] = {"index_add"};
  static constexpr Port kInputs[] = {in("x", "X"), in("index", "Index"), in("add_value", "AddValue")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  int axis = 0;
  void attributes(AttributeVisitor& visit) { visit("axis", axis); }
  friend bool operator==(const IndexAdd&, const IndexAdd&) = default;
};

inline void infer(const IndexAdd& op, InferArgs& a) {
  const Shape& x = a.shape(0);
  const Shape& index = a.shape(1);
  require(a.dtype(0) == a.dtype(2), "x is ", a.dtype(0), " and add_value ", a.dtype(2));
  require(!index.rank_known() || index.rank() == 1, "index is ", index, ", expected one dimension");
  if (x.rank_known()) {
    Shape expected = x;
    expected[normalize_axis(op.axis, x.rank())] = index.rank_known() ? index[0] : Shape::kUnknown;
    met(expected, a.shape(2));
  }
  a.set(0, a.dtype(0), x);
}

inline void reference(const IndexAdd& op, ReferenceArgs& a) {
  copy_tensor(a.context(), a.in(0), a.out(0));
  const Around x(a.shape(0), normalize_axis(op.axis, a.shape(0).rank()));
  std::vector<int64_t> positions;
  Buffer<int64_t> index = a.integers(1);
  for (size_t i = 0; i < index.size(); ++i) {
    index[i] = index_from_front(index[i], x.dim, "Index", static_cast<int64_t>(i));
  }
  for (int64_t o = 0; o < x.outer; ++o) {
    for (int64_t i : index) positions.push_back((o * x.dim + i) * x.inner);
  }
  scatter_rows(a.in(2), positions, x.inner, true, a.out(0));
}

inline constexpr const OpSchema* index_add_op = &kOpSchema<IndexAdd>;

}  // namespace coracle::internal
