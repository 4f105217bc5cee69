// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/conv_pool/pooling_with_index.h"

namespace coracle::internal {

/// The largest element of each window over three dimensions and its flat index in the channel.
struct MaxPool3dWithIndex : PoolingWithIndex<3> {
  static constexpr const char* kName = "max_pool3d_with_index";
  static constexpr const char* kLegacy[] = {"max_pool3d_with_index"};
  friend bool operator==(const MaxPool3dWithIndex&, const MaxPool3dWithIndex&) = default;
};

inline void infer(const MaxPool3dWithIndex& op, InferArgs& a) { infer_pooling_with_index(op, a); }

inline void reference(const MaxPool3dWithIndex& op, ReferenceArgs& a) { reference_pooling_with_index(op, a); }

inline constexpr const OpSchema* max_pool3d_with_index_op = &kOpSchema<MaxPool3dWithIndex>;

}  // namespace coracle::internal
