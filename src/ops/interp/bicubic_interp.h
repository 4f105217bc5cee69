// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/interp/interpolation.h"

namespace coracle::internal {

/// Resizes height and width by cubic convolution (a = -0.75) with repeated borders.
struct BicubicInterp : InterpolationOperator {
  static constexpr const char* kName = "bicubic_interp";
  static constexpr const char* kLegacy[] = {"bicubic_interp_v2"};
  static constexpr InterpolationKind kKind{InterpolationMethod::kCubic, false};
  friend bool operator==(const BicubicInterp&, const BicubicInterp&) = default;
};

inline void infer(const BicubicInterp& op, InferArgs& a) { infer_interpolation(op, BicubicInterp::kKind, a); }

inline void reference(const BicubicInterp& op, ReferenceArgs& a) {
  reference_interpolation(op, BicubicInterp::kKind, a);
}

inline constexpr const OpSchema* bicubic_interp_op = &kOpSchema<BicubicInterp>;

}  // namespace coracle::internal
