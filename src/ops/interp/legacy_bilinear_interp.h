// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/interp/interpolation.h"

namespace coracle::internal {

/// The first version of bilinear_interp: the ratio follows from the sizes even where a scale is given.
struct LegacyBilinearInterp : InterpolationOperator {
  static constexpr const char* kName = "legacy_bilinear_interp";
  static constexpr const char* kLegacy[] = {"bilinear_interp"};
  static constexpr InterpolationKind kKind{InterpolationMethod::kLinear, true};
  friend bool operator==(const LegacyBilinearInterp&, const LegacyBilinearInterp&) = default;
};

inline void infer(const LegacyBilinearInterp& op, InferArgs& a) {
  infer_interpolation(op, LegacyBilinearInterp::kKind, a);
}

inline void reference(const LegacyBilinearInterp& op, ReferenceArgs& a) {
  reference_interpolation(op, LegacyBilinearInterp::kKind, a);
}

inline constexpr const OpSchema* legacy_bilinear_interp_op = &kOpSchema<LegacyBilinearInterp>;

}  // namespace coracle::internal
