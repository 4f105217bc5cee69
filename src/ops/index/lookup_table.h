// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/index/embedding.h"

namespace coracle::internal {

/// The first embedding operator: the last dimension of ids is 1 and gives way to the width of the table.
struct LookupTable {
  static constexpr const char* kName = "lookup_table";
  static constexpr const char* kLegacy[] = {"lookup_table"};
  static constexpr Port kInputs[] = {in("x", "Ids"), weight_in("weight", "W")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  int64_t padding_idx = -1;
  void attributes(AttributeVisitor& visit) { visit("padding_idx", padding_idx); }
  friend bool operator==(const LookupTable&, const LookupTable&) = default;
};

inline void infer(const LookupTable&, InferArgs& a) {
  Shape ids = a.shape(0);
  if (ids.rank_known()) {
    require(ids.rank() > 0 && (ids.back() < 0 || ids.back() == 1), "ids are ", ids, ", expected a last dimension of 1");
    ids.erase(ids.rank() - 1);
  }
  infer_embedding(a, ids);
}

inline void reference(const LookupTable& op, ReferenceArgs& a) {
  embed(a.context(), a.in(0), a.in(1), op.padding_idx, a.out(0));
}

inline constexpr const OpSchema* lookup_table_op = &kOpSchema<LookupTable>;

}  // namespace coracle::internal
