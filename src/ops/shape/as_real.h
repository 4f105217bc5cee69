// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/copy_bytes.h"
#include "ops/common/complex_numbers.h"

namespace coracle::internal {

/// Complex numbers with their parts as a new last dimension of size 2.
struct AsReal {
  static constexpr const char* kName = "as_real";
  static constexpr const char* kLegacy[] = {"as_real"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  friend bool operator==(const AsReal&, const AsReal&) = default;
};

inline void infer(const AsReal&, InferArgs& a) {
  Shape y = a.shape(0);
  if (y.rank_known()) y.push_back(2);
  require(is_complex(a.dtype(0)), "x is ", a.dtype(0), ", expected a complex type");
  a.set(0, part_type(a.dtype(0)), y);
}

inline void reference(const AsReal&, ReferenceArgs& a) { copy_bytes(a.out(0).raw(), a.in(0).raw(), a.in(0).bytes()); }

inline constexpr const OpSchema* as_real_op = &kOpSchema<AsReal>;

}  // namespace coracle::internal
