// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "base/long_loop.h"
#include "ops/common/complex_numbers.h"

namespace coracle::internal {

/// The angles of complex numbers; of real ones 0 or pi.
struct Angle {
  static constexpr const char* kName = "angle";
  static constexpr const char* kLegacy[] = {"angle"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  friend bool operator==(const Angle&, const Angle&) = default;
};

inline void infer(const Angle&, InferArgs& a) { a.set(0, part_type(a.dtype(0)), a.shape(0)); }

inline void reference(const Angle&, ReferenceArgs& a) {
  const auto n = static_cast<size_t>(a.in(0).count());
  if (is_complex(a.in(0).dtype())) {
    visit_complex(a.in(0).dtype(), [&](auto* p) {
      using T = std::remove_pointer_t<decltype(p)>;
      const auto* from = a.in(0).data<std::complex<T>>();
      T* to = a.out(0).data<T>();
      in_blocks(a.context(), n, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) to[i] = std::arg(from[i]);
      });
    });
    return;
  }
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    const T* from = a.in(0).data<T>();
    T* to = a.out(0).data<T>();
    in_blocks(a.context(), n, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) to[i] = static_cast<T>(std::atan2(0.0, static_cast<double>(from[i])));
    });
  });
}

inline constexpr const OpSchema* angle_op = &kOpSchema<Angle>;

}  // namespace coracle::internal
