// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/conv_pool/unpooling.h"

namespace coracle::internal {

/// The way back from max_pool3d_with_index.
struct Unpool3d : Unpooling<3> {
  static constexpr const char* kName = "unpool3d";
  static constexpr const char* kLegacy[] = {"unpool3d"};
  friend bool operator==(const Unpool3d&, const Unpool3d&) = default;
};

inline void infer(const Unpool3d& op, InferArgs& a) { infer_unpooling(op, a); }

inline void reference(const Unpool3d&, ReferenceArgs& a) { reference_unpooling(a); }

inline constexpr const OpSchema* unpool3d_op = &kOpSchema<Unpool3d>;

}  // namespace coracle::internal
