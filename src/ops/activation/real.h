// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/copy_bytes.h"
#include "ops/common/complex_numbers.h"

namespace coracle::internal {

/// The real parts.
struct Real {
  static constexpr const char* kName = "real";
  static constexpr const char* kLegacy[] = {"real"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  friend bool operator==(const Real&, const Real&) = default;
};

inline void infer(const Real&, InferArgs& a) { a.set(0, part_type(a.dtype(0)), a.shape(0)); }

inline void reference(const Real&, ReferenceArgs& a) {
  if (!is_complex(a.in(0).dtype())) {
    copy_bytes(a.out(0).raw(), a.in(0).raw(), a.in(0).bytes());
    return;
  }
  visit_complex(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    const auto* from = a.in(0).data<std::complex<T>>();
    for (int64_t i = 0, n = a.in(0).count(); i < n; ++i) a.out(0).data<T>()[i] = from[i].real();
  });
}

inline constexpr const OpSchema* real_op = &kOpSchema<Real>;

}  // namespace coracle::internal
