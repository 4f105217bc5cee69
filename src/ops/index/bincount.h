// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "base/buffer.h"
#include "ops/common/operands.h"
#include "ops/elementwise/arithmetic.h"

namespace coracle::internal {

/// How often (or with which sum of weights) each of the numbers 0, 1, ... appears in x, up to the largest or minlength.
struct Bincount {
  static constexpr const char* kName = "bincount";
  static constexpr const char* kLegacy[] = {"bincount"};
  static constexpr Port kInputs[] = {in("x", "X"), optional_in("weights", "Weights"),
                                     shape_in("minlength", "minlength")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  friend bool operator==(const Bincount&, const Bincount&) = default;
};

inline void infer(const Bincount&, InferArgs& a) {
  const std::optional<int64_t> minlength = axis_operand(a, 2);
  require(is_integer(a.dtype(0)), "x is ", a.dtype(0), ", expected integers");
  require(!a.shape(0).rank_known() || a.shape(0).rank() == 1, "x is ", a.shape(0), ", expected one dimension");
  require(!minlength || *minlength >= 0, "minlength is ", minlength.value_or(0), ", expected none negative");
  if (a.has(1)) {
    require(compatible(a.shape(0), a.shape(1)), "weights are ", a.shape(1), ", expected ", a.shape(0));
  }
  a.set(0, a.has(1) ? a.dtype(1) : DType::kInt64, Shape{Shape::kUnknown});
}

inline void reference(const Bincount&, ReferenceArgs& a) {
  constexpr int64_t kMost = int64_t{1} << 27;
  const Buffer<int64_t> x = a.integers(0);
  int64_t bins = a.has(2) ? a.in(2).integer(0) : 0;
  for (int64_t v : x) {
    require(v >= 0 && v < kMost, ErrorCode::kRunFailure, "x has ", v, ", expected 0 to ", kMost - 1);
    bins = std::max(bins, v + 1);
  }
  const DType dtype = a.has(1) ? a.in(1).dtype() : DType::kInt64;
  a.out(0) = a.make(dtype, Shape{bins});
  visit_real(dtype, [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    T* to = a.out(0).data<T>();
    std::fill(to, to + bins, T(0));
    for (size_t i = 0; i < x.size(); ++i) {
      to[x[i]] = wrapped_sum(to[x[i]], a.has(1) ? a.in(1).data<T>()[i] : T(1));
    }
  });
}

inline constexpr const OpSchema* bincount_op = &kOpSchema<Bincount>;

}  // namespace coracle::internal
