// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/index/gathering.h"

namespace coracle::internal {

/// Rows of `weight` by id; rows of zeros for the id padding_idx (-1: none).
struct Embedding {
  static constexpr const char* kName = "embedding";
  static constexpr const char* kLegacy[] = {"lookup_table_v2"};
  static constexpr Port kInputs[] = {in("x", "Ids"), weight_in("weight", "W")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  int64_t padding_idx = -1;
  void attributes(AttributeVisitor& visit) { visit("padding_idx", padding_idx); }
  friend bool operator==(const Embedding&, const Embedding&) = default;
};

/// `ids` with the width of the table appended.
inline void infer_embedding(InferArgs& a, Shape ids) {
  const Shape& weight = a.shape(1);
  require(is_integer(a.dtype(0)), "ids are ", a.dtype(0), ", expected integers");
  require(!weight.rank_known() || weight.rank() == 2, "weight is ", weight, ", expected a matrix");
  if (ids.rank_known()) ids.push_back(weight.rank_known() ? weight[1] : Shape::kUnknown);
  a.set(0, a.dtype(1), ids);
}

inline void infer(const Embedding&, InferArgs& a) { infer_embedding(a, a.shape(0)); }

inline void reference(const Embedding& op, ReferenceArgs& a) {
  embed(a.context(), a.in(0), a.in(1), op.padding_idx, a.out(0));
}

inline constexpr const OpSchema* embedding_op = &kOpSchema<Embedding>;

}  // namespace coracle::internal
