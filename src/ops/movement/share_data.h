// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/movement/copying.h"

namespace coracle::internal {

/// out = x. Values are never changed in place, so a copy and an alias are the same.
struct ShareData : CopyOperator {
  static constexpr const char* kName = "share_data";
  static constexpr const char* kLegacy[] = {"share_data"};
  friend bool operator==(const ShareData&, const ShareData&) = default;
};

inline void infer(const ShareData&, InferArgs& a) { infer_copy(a); }

inline void reference(const ShareData&, ReferenceArgs& a) { copy_tensor(a.context(), a.in(0), a.out(0)); }

inline bool is_identity(const ShareData&, const NodeFacts&) { return true; }

inline constexpr const OpSchema* share_data_op = &kOpSchema<ShareData>;

}  // namespace coracle::internal
