// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/convert.h"
#include "ops/common/complex_numbers.h"
#include "ops/common/operand_types.h"

namespace coracle::internal {

/// out = the sum of all operands, which have one shape.
struct AddN {
  static constexpr const char* kName = "add_n";
  static constexpr const char* kLegacy[] = {"sum"};
  static constexpr Port kInputs[] = {list_in("inputs", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  friend bool operator==(const AddN&, const AddN&) = default;
};

inline void infer(const AddN&, InferArgs& a) {
  require(a.count(0) > 0, "there is nothing to add");
  require_one_dtype(a, {0});
  Shape shape = a.shape(0, 0);
  for (int i = 1; i < a.count(0); ++i) {
    require(compatible(shape, a.shape(0, i)), "operand ", i, " has shape ", a.shape(0, i), ", expected ", shape);
    if (!shape.known()) shape = a.shape(0, i);
  }
  a.set(0, a.dtype(0, 0), shape);
}

inline void reference(const AddN&, ReferenceArgs& a) {
  const auto add_up = [&]<class T, class Sum>(T* y, Sum zero) {
    for (int64_t k = 0, n = a.out(0).count(); k < n; ++k) {
      Sum sum = zero;
      for (int i = 0; i < a.count(0); ++i) sum += static_cast<Sum>(a.in(0, i).data<T>()[k]);
      y[k] = convert<T>(sum);
    }
  };
  if (is_complex(a.out(0).dtype())) {
    return visit_complex(a.out(0).dtype(), [&](auto* p) {
      add_up(a.out(0).data<std::complex<std::remove_pointer_t<decltype(p)>>>(), std::complex<double>());
    });
  }
  visit_real(a.out(0).dtype(), [&](auto* p) { add_up(a.out(0).data<std::remove_pointer_t<decltype(p)>>(), 0.0); });
}

inline constexpr const OpSchema* add_n_op = &kOpSchema<AddN>;

}  // namespace coracle::internal
