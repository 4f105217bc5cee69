// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/interp/interpolation.h"

namespace coracle::internal {

/// Resizes height and width by linear interpolation.
struct BilinearInterp : InterpolationOperator {
  static constexpr const char* kName = "bilinear_interp";
  static constexpr const char* kLegacy[] = {"bilinear_interp_v2"};
  static constexpr InterpolationKind kKind{InterpolationMethod::kLinear, false};
  friend bool operator==(const BilinearInterp&, const BilinearInterp&) = default;
};

inline void infer(const BilinearInterp& op, InferArgs& a) { infer_interpolation(op, BilinearInterp::kKind, a); }

inline void reference(const BilinearInterp& op, ReferenceArgs& a) {
  reference_interpolation(op, BilinearInterp::kKind, a);
}

inline constexpr const OpSchema* bilinear_interp_op = &kOpSchema<BilinearInterp>;

}  // namespace coracle::internal
