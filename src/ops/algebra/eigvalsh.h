// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ops/algebra/eigh.h"

namespace coracle::internal {

/// Eigenvalues of symmetric matrices, ascending. Only the triangle that `uplo` names counts; eigenvectors come along
/// where asked for.
struct Eigvalsh {
  static constexpr const char* kName = "eigvalsh";
  static constexpr const char* kLegacy[] = {"eigvalsh"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("eigenvalues", "Eigenvalues"), optional_out("eigenvectors", "Eigenvectors")};
  std::string uplo = "L";
  bool is_test = false;
  void attributes(AttributeVisitor& visit) {
    visit("uplo", uplo, "UPLO");
    visit("is_test", is_test);
  }
  friend bool operator==(const Eigvalsh&, const Eigvalsh&) = default;
};

inline void infer(const Eigvalsh& op, InferArgs& a) { infer(Eigh{op.uplo}, a); }

inline void reference(const Eigvalsh& op, ReferenceArgs& a) { reference(Eigh{op.uplo}, a); }

inline constexpr const OpSchema* eigvalsh_op = &kOpSchema<Eigvalsh>;

}  // namespace coracle::internal
