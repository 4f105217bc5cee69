// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/matmul/scaled_product.h"

namespace coracle::internal {

/// out = beta * input + alpha * x @ y matrix by matrix; input broadcasts
struct Baddbmm {
  static constexpr const char* kName = "baddbmm";
  static constexpr const char* kLegacy[] = {"baddbmm"};
  static constexpr std::span<const Port> kInputs = kScaledProductInputs;
  static constexpr std::span<const Port> kOutputs = kScaledProductOutputs;
  static constexpr LodRule kLod = LodRule::kFirst;
  double beta = 1.0;
  double alpha = 1.0;
  void attributes(AttributeVisitor& visit) {
    visit("beta", beta);
    visit("alpha", alpha);
  }
  friend bool operator==(const Baddbmm&, const Baddbmm&) = default;
};

inline void infer(const Baddbmm&, InferArgs& a) { infer_scaled_product(a, 3); }

inline void reference(const Baddbmm& op, ReferenceArgs& a) { reference_scaled_product(op.beta, op.alpha, a); }

inline constexpr const OpSchema* baddbmm_op = &kOpSchema<Baddbmm>;

}  // namespace coracle::internal
