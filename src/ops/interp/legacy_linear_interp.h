// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/interp/interpolation.h"

namespace coracle::internal {

/// The first version of linear_interp: the ratio follows from the sizes even where a scale is given.
struct LegacyLinearInterp : InterpolationOperator {
  static constexpr const char* kName = "legacy_linear_interp";
  static constexpr const char* kLegacy[] = {"linear_interp"};
  static constexpr InterpolationKind kKind{InterpolationMethod::kLinear, true};
  friend bool operator==(const LegacyLinearInterp&, const LegacyLinearInterp&) = default;
};

inline void infer(const LegacyLinearInterp& op, InferArgs& a) { infer_interpolation(op, LegacyLinearInterp::kKind, a); }

inline void reference(const LegacyLinearInterp& op, ReferenceArgs& a) {
  reference_interpolation(op, LegacyLinearInterp::kKind, a);
}

inline constexpr const OpSchema* legacy_linear_interp_op = &kOpSchema<LegacyLinearInterp>;

}  // namespace coracle::internal
