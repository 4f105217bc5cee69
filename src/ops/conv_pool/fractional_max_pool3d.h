// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/conv_pool/fractional_pooling.h"

namespace coracle::internal {

/// The largest element of windows whose borders are as even as a fraction and a random number allow, and its flat index
/// in the channel.
struct FractionalMaxPool3d : FractionalPooling {
  static constexpr const char* kName = "fractional_max_pool3d";
  friend bool operator==(const FractionalMaxPool3d&, const FractionalMaxPool3d&) = default;
};

inline void infer(const FractionalMaxPool3d& op, InferArgs& a) { infer_fractional_pooling(op, a, 3); }

inline void reference(const FractionalMaxPool3d& op, ReferenceArgs& a) { reference_fractional_pooling(op, a, 3); }

inline constexpr const OpSchema* fractional_max_pool3d_op = &kOpSchema<FractionalMaxPool3d>;

}  // namespace coracle::internal
