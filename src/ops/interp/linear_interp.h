// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/lowering.h"
#include "ops/interp/interpolation.h"

namespace coracle::internal {

/// Resizes the width of a sequence by linear interpolation.
struct LinearInterp : InterpolationOperator {
  static constexpr const char* kName = "linear_interp";
  static constexpr const char* kLegacy[] = {"linear_interp_v2"};
  static constexpr InterpolationKind kKind{InterpolationMethod::kLinear, false};
  /// Paddle 3 changed what a result of one element reads.
  static void lower(Lowering& l);
  friend bool operator==(const LinearInterp&, const LinearInterp&) = default;
};

inline void infer(const LinearInterp& op, InferArgs& a) { infer_interpolation(op, LinearInterp::kKind, a); }

inline void reference(const LinearInterp& op, ReferenceArgs& a) { reference_interpolation(op, LinearInterp::kKind, a); }

inline void LinearInterp::lower(Lowering& l) {
  LinearInterp op = l.read<LinearInterp>();
  op.scales_single = l.is_pir() || l.program_version() >= 3000000;
  l.bind("Out", l.add(op, l.ports_of(kOpSchema<LinearInterp>)));
}

inline constexpr const OpSchema* linear_interp_op = &kOpSchema<LinearInterp>;

}  // namespace coracle::internal
