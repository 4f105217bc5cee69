// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/matmul/scaled_product.h"

namespace coracle::internal {

/// out = beta * input + alpha * x @ y; input broadcasts
struct Addmm {
  static constexpr const char* kName = "addmm";
  static constexpr const char* kLegacy[] = {"addmm"};
  static constexpr std::span<const Port> kInputs = kScaledProductInputs;
  static constexpr std::span<const Port> kOutputs = kScaledProductOutputs;
  static constexpr LodRule kLod = LodRule::kFirst;
  double beta = 1.0;
  double alpha = 1.0;
  void attributes(AttributeVisitor& visit) {
    visit("beta", beta, "Beta");
    visit("alpha", alpha, "Alpha");
  }
  friend bool operator==(const Addmm&, const Addmm&) = default;
};

inline void infer(const Addmm&, InferArgs& a) { infer_scaled_product(a, 2); }

inline void reference(const Addmm& op, ReferenceArgs& a) { reference_scaled_product(op.beta, op.alpha, a); }

inline constexpr const OpSchema* addmm_op = &kOpSchema<Addmm>;

}  // namespace coracle::internal
