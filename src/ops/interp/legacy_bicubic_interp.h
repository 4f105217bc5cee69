// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/interp/interpolation.h"

namespace coracle::internal {

/// The first version of bicubic_interp: the ratio follows from the sizes even where a scale is given.
struct LegacyBicubicInterp : InterpolationOperator {
  static constexpr const char* kName = "legacy_bicubic_interp";
  static constexpr const char* kLegacy[] = {"bicubic_interp"};
  static constexpr InterpolationKind kKind{InterpolationMethod::kCubic, true};
  friend bool operator==(const LegacyBicubicInterp&, const LegacyBicubicInterp&) = default;
};

inline void infer(const LegacyBicubicInterp& op, InferArgs& a) {
  infer_interpolation(op, LegacyBicubicInterp::kKind, a);
}

inline void reference(const LegacyBicubicInterp& op, ReferenceArgs& a) {
  reference_interpolation(op, LegacyBicubicInterp::kKind, a);
}

inline constexpr const OpSchema* legacy_bicubic_interp_op = &kOpSchema<LegacyBicubicInterp>;

}  // namespace coracle::internal
