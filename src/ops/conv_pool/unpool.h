// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/conv_pool/unpooling.h"

namespace coracle::internal {

/// The way back from max_pool2d_with_index.
struct Unpool : Unpooling<2> {
  static constexpr const char* kName = "unpool";
  static constexpr const char* kLegacy[] = {"unpool"};
  friend bool operator==(const Unpool&, const Unpool&) = default;
};

inline void infer(const Unpool& op, InferArgs& a) { infer_unpooling(op, a); }

inline void reference(const Unpool&, ReferenceArgs& a) { reference_unpooling(a); }

inline constexpr const OpSchema* unpool_op = &kOpSchema<Unpool>;

}  // namespace coracle::internal
