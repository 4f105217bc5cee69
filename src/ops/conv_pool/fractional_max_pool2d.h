// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/conv_pool/fractional_pooling.h"

namespace coracle::internal {

/// The largest element of windows whose borders are as even as a fraction and a random number allow, and its flat index
/// in the channel.
struct FractionalMaxPool2d : FractionalPooling {
  static constexpr const char* kName = "fractional_max_pool2d";
  friend bool operator==(const FractionalMaxPool2d&, const FractionalMaxPool2d&) = default;
};

inline void infer(const FractionalMaxPool2d& op, InferArgs& a) { infer_fractional_pooling(op, a, 2); }

inline void reference(const FractionalMaxPool2d& op, ReferenceArgs& a) { reference_fractional_pooling(op, a, 2); }

inline constexpr const OpSchema* fractional_max_pool2d_op = &kOpSchema<FractionalMaxPool2d>;

}  // namespace coracle::internal
