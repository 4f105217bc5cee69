// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/conv_pool/pooling_with_index.h"

namespace coracle::internal {

/// The largest element of each window over two dimensions and its flat index in the channel.
struct MaxPool2dWithIndex : PoolingWithIndex<2> {
  static constexpr const char* kName = "max_pool2d_with_index";
  static constexpr const char* kLegacy[] = {"max_pool2d_with_index"};
  friend bool operator==(const MaxPool2dWithIndex&, const MaxPool2dWithIndex&) = default;
};

inline void infer(const MaxPool2dWithIndex& op, InferArgs& a) { infer_pooling_with_index(op, a); }

inline void reference(const MaxPool2dWithIndex& op, ReferenceArgs& a) { reference_pooling_with_index(op, a); }

inline constexpr const OpSchema* max_pool2d_with_index_op = &kOpSchema<MaxPool2dWithIndex>;

}  // namespace coracle::internal
