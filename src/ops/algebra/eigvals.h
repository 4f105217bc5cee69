// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/algebra/eig.h"

namespace coracle::internal {

/// Eigenvalues of square matrices, complex, in no particular order.
struct Eigvals {
  static constexpr const char* kName = "eigvals";
  static constexpr const char* kLegacy[] = {"eigvals"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  friend bool operator==(const Eigvals&, const Eigvals&) = default;
};

inline void infer(const Eigvals&, InferArgs& a) { infer(Eig{}, a); }

inline void reference(const Eigvals&, ReferenceArgs& a) { reference(Eig{}, a); }

inline constexpr const OpSchema* eigvals_op = &kOpSchema<Eigvals>;

}  // namespace coracle::internal
