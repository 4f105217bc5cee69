// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/complex_numbers.h"

namespace coracle::internal {

/// The imaginary parts.
struct Imag {
  static constexpr const char* kName = "imag";
  static constexpr const char* kLegacy[] = {"imag"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  friend bool operator==(const Imag&, const Imag&) = default;
};

inline void infer(const Imag&, InferArgs& a) {
  require(is_complex(a.dtype(0)), "x is ", a.dtype(0), ", expected a complex type");
  a.set(0, part_type(a.dtype(0)), a.shape(0));
}

inline void reference(const Imag&, ReferenceArgs& a) {
  visit_complex(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    const auto* from = a.in(0).data<std::complex<T>>();
    for (int64_t i = 0, n = a.in(0).count(); i < n; ++i) a.out(0).data<T>()[i] = from[i].imag();
  });
}

inline constexpr const OpSchema* imag_op = &kOpSchema<Imag>;

}  // namespace coracle::internal
