// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/interp/interpolation.h"

namespace coracle::internal {

/// Resizes the spatial dimensions; each result is the nearest element.
struct NearestInterp : InterpolationOperator {
  static constexpr const char* kName = "nearest_interp";
  static constexpr const char* kLegacy[] = {"nearest_interp_v2"};
  static constexpr InterpolationKind kKind{InterpolationMethod::kNearest, false};
  friend bool operator==(const NearestInterp&, const NearestInterp&) = default;
};

inline void infer(const NearestInterp& op, InferArgs& a) { infer_interpolation(op, NearestInterp::kKind, a); }

inline void reference(const NearestInterp& op, ReferenceArgs& a) {
  reference_interpolation(op, NearestInterp::kKind, a);
}

inline constexpr const OpSchema* nearest_interp_op = &kOpSchema<NearestInterp>;

}  // namespace coracle::internal
