// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/copy_bytes.h"
#include "ops/common/complex_numbers.h"

namespace coracle::internal {

/// The last dimension, of size 2, as the parts of complex numbers.
struct AsComplex {
  static constexpr const char* kName = "as_complex";
  static constexpr const char* kLegacy[] = {"as_complex"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  friend bool operator==(const AsComplex&, const AsComplex&) = default;
};

inline void infer(const AsComplex&, InferArgs& a) {
  Shape y = a.shape(0);
  if (y.rank_known()) {
    require(y.rank() >= 1 && (y.back() < 0 || y.back() == 2), "x has shape ", y, ", expected a last dimension of 2");
    y.erase(y.rank() - 1);
  }
  require(is_float(a.dtype(0)), "x is ", a.dtype(0), ", expected a real type");
  a.set(0, complex_type(a.dtype(0)), y);
}

inline void reference(const AsComplex&, ReferenceArgs& a) {
  copy_bytes(a.out(0).raw(), a.in(0).raw(), a.in(0).bytes());
}

inline constexpr const OpSchema* as_complex_op = &kOpSchema<AsComplex>;

}  // namespace coracle::internal
