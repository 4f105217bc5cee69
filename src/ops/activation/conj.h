// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/long_loop.h"
#include "ops/common/complex_numbers.h"

namespace coracle::internal {

/// The complex conjugates; real numbers stay.
struct Conj {
  static constexpr const char* kName = "conj";
  static constexpr const char* kLegacy[] = {"conj"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  friend bool operator==(const Conj&, const Conj&) = default;
};

inline void infer(const Conj&, InferArgs& a) { a.set(0, a.dtype(0), a.shape(0)); }

inline void reference(const Conj&, ReferenceArgs& a) {
  if (!is_complex(a.in(0).dtype())) {
    return copy_in_blocks(a.context(), a.out(0).raw(), a.in(0).raw(), a.in(0).bytes());
  }
  visit_complex(a.in(0).dtype(), [&](auto* p) {
    using C = std::complex<std::remove_pointer_t<decltype(p)>>;
    in_blocks(a.context(), static_cast<size_t>(a.in(0).count()), [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) a.out(0).data<C>()[i] = std::conj(a.in(0).data<C>()[i]);
    });
  });
}

inline constexpr const OpSchema* conj_op = &kOpSchema<Conj>;

}  // namespace coracle::internal
