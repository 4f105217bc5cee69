// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ops/reduce/reduction.h"

namespace coracle::internal {

/// x summed over the dimensions that it has more than `target` and those of which `target` has 1.
struct ReduceAs {
  static constexpr const char* kName = "reduce_as";
  static constexpr const char* kLegacy[] = {"reduce_as"};
  static constexpr Port kInputs[] = {in("x", "x"), in("target", "target")};
  static constexpr Port kOutputs[] = {out("out", "out")};
  friend bool operator==(const ReduceAs&, const ReduceAs&) = default;
};

inline std::vector<bool> dimensions_beyond(const Shape& x, const Shape& target) {
  std::vector<bool> reduced(static_cast<size_t>(x.rank()), true);
  const int more = x.rank() - target.rank();
  for (int d = more; d < x.rank(); ++d) reduced[static_cast<size_t>(d)] = target[d - more] == 1 && x[d] != 1;
  return reduced;
}

inline void infer(const ReduceAs&, InferArgs& a) {
  const Shape& x = a.shape(0);
  const Shape& target = a.shape(1);
  if (x.rank_known() && target.rank_known()) {
    require(x.rank() >= target.rank(), "x is ", x, " and target ", target);
    const int more = x.rank() - target.rank();
    for (int d = 0; d < target.rank(); ++d) {
      require(x[d + more] < 0 || target[d] < 0 || x[d + more] == target[d] || target[d] == 1, "x is ", x,
              " and target ", target);
    }
  }
  const bool whole = a.dtype(0) == DType::kBool || a.dtype(0) == DType::kInt32;
  a.set(0, whole ? DType::kInt64 : a.dtype(0), target);
}

inline void reference(const ReduceAs&, ReferenceArgs& a) {
  const std::vector<bool> reduced = dimensions_beyond(a.shape(0), a.shape(1));
  if (is_float(a.in(0).dtype())) {
    reference_reduction(
        a.context(), a.in(0), reduced, a.out(0), 0.0, [](double s, double x) { return s + x; },
        [](double s, double) { return s; });
  } else {
    reference_integer_reduction(a.context(), a.in(0), reduced, a.out(0), 0, [](int64_t s, int64_t x) {
      return static_cast<int64_t>(static_cast<uint64_t>(s) + static_cast<uint64_t>(x));
    });
  }
}

inline constexpr const OpSchema* reduce_as_op = &kOpSchema<ReduceAs>;

}  // namespace coracle::internal
