// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/logic/comparison.h"

namespace coracle::internal {

/// out = whether both have one shape and the same elements, a scalar
struct EqualAll {
  static constexpr const char* kName = "equal_all";
  static constexpr const char* kLegacy[] = {"equal_all"};
  static constexpr Port kInputs[] = {in("x", "X"), in("y", "Y")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  friend bool operator==(const EqualAll&, const EqualAll&) = default;
};

inline void infer(const EqualAll&, InferArgs& a) { a.set(0, DType::kBool, Shape{}); }

inline void reference(const EqualAll&, ReferenceArgs& a) {
  bool same = a.shape(0) == a.shape(1);
  if (same) {
    const DType dtype = promote(a.in(0).dtype(), a.in(1).dtype());
    const Tensor x = converted(a.context(), a.in(0), dtype);
    const Tensor y = converted(a.context(), a.in(1), dtype);
    visit_real(dtype, [&](auto* p) {
      using T = std::remove_pointer_t<decltype(p)>;
      for (int64_t i = 0, n = x.count(); i < n && same; ++i) same = x.data<T>()[i] == y.data<T>()[i];
    });
  }
  a.out(0).data<bool>()[0] = same;
}

inline constexpr const OpSchema* equal_all_op = &kOpSchema<EqualAll>;

}  // namespace coracle::internal
