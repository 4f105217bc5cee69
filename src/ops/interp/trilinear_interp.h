// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/lowering.h"
#include "ops/interp/interpolation.h"

namespace coracle::internal {

/// Resizes depth, height and width by linear interpolation.
struct TrilinearInterp : InterpolationOperator {
  static constexpr const char* kName = "trilinear_interp";
  static constexpr const char* kLegacy[] = {"trilinear_interp_v2"};
  static constexpr InterpolationKind kKind{InterpolationMethod::kLinear, false};
  /// Paddle 3 changed what a result of one element reads.
  static void lower(Lowering& l);
  friend bool operator==(const TrilinearInterp&, const TrilinearInterp&) = default;
};

inline void infer(const TrilinearInterp& op, InferArgs& a) { infer_interpolation(op, TrilinearInterp::kKind, a); }

inline void reference(const TrilinearInterp& op, ReferenceArgs& a) {
  reference_interpolation(op, TrilinearInterp::kKind, a);
}

inline void TrilinearInterp::lower(Lowering& l) {
  TrilinearInterp op = l.read<TrilinearInterp>();
  op.scales_single = l.is_pir() || l.program_version() >= 3000000;
  l.bind("Out", l.add(op, l.ports_of(kOpSchema<TrilinearInterp>)));
}

inline constexpr const OpSchema* trilinear_interp_op = &kOpSchema<TrilinearInterp>;

}  // namespace coracle::internal
