// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/interp/interpolation.h"

namespace coracle::internal {

/// The first version of trilinear_interp: the ratio follows from the sizes even where a scale is given.
struct LegacyTrilinearInterp : InterpolationOperator {
  static constexpr const char* kName = "legacy_trilinear_interp";
  static constexpr const char* kLegacy[] = {"trilinear_interp"};
  static constexpr InterpolationKind kKind{InterpolationMethod::kLinear, true};
  friend bool operator==(const LegacyTrilinearInterp&, const LegacyTrilinearInterp&) = default;
};

inline void infer(const LegacyTrilinearInterp& op, InferArgs& a) {
  infer_interpolation(op, LegacyTrilinearInterp::kKind, a);
}

inline void reference(const LegacyTrilinearInterp& op, ReferenceArgs& a) {
  reference_interpolation(op, LegacyTrilinearInterp::kKind, a);
}

inline constexpr const OpSchema* legacy_trilinear_interp_op = &kOpSchema<LegacyTrilinearInterp>;

}  // namespace coracle::internal
