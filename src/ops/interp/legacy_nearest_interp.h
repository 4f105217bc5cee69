// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/interp/interpolation.h"

namespace coracle::internal {

/// The first version of nearest_interp: the ratio follows from the sizes even where a scale is given.
struct LegacyNearestInterp : InterpolationOperator {
  static constexpr const char* kName = "legacy_nearest_interp";
  static constexpr const char* kLegacy[] = {"nearest_interp"};
  static constexpr InterpolationKind kKind{InterpolationMethod::kNearest, true};
  friend bool operator==(const LegacyNearestInterp&, const LegacyNearestInterp&) = default;
};

inline void infer(const LegacyNearestInterp& op, InferArgs& a) {
  infer_interpolation(op, LegacyNearestInterp::kKind, a);
}

inline void reference(const LegacyNearestInterp& op, ReferenceArgs& a) {
  reference_interpolation(op, LegacyNearestInterp::kKind, a);
}

inline constexpr const OpSchema* legacy_nearest_interp_op = &kOpSchema<LegacyNearestInterp>;

}  // namespace coracle::internal
