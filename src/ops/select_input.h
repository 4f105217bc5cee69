// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/joining.h"

namespace coracle {

/// x[mask]: the result of one of several branches.
struct SelectInput {
  static constexpr const char* kName = "select_input";
  static constexpr const char* kLegacy[] = {"select_input"};
  static constexpr LodRule kLod = LodRule::kOwn;
  static constexpr Port kInputs[] = {in("mask", "Mask"), list_in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  friend bool operator==(const SelectInput&, const SelectInput&) = default;
};

inline void infer(const SelectInput&, InferArgs& a) {
  require(a.count(1) > 0, "select_input has nothing to select");
  const std::optional<double> mask = a.number(0);
  if (mask) {
    require(*mask >= 0 && *mask < a.count(1), "mask is ", *mask, " for ", a.count(1), " values");
    const Fact& x = a.in(1, static_cast<int>(*mask));
    a.out(0) = Fact(x.dtype, x.shape);
    a.out(0).is_array = x.is_array;
    return;
  }
  Shape shape = a.shape(1);
  for (int i = 1; i < a.count(1); ++i) {
    require(a.dtype(1, i) == a.dtype(1, 0) && a.in(1, i).is_array == a.in(1, 0).is_array, "value 0 is ", a.in(1, 0),
            " and value ", i, " ", a.in(1, i));
    shape = joined(shape, a.shape(1, i));
  }
  a.out(0) = Fact(a.dtype(1), shape);
  a.out(0).is_array = a.in(1).is_array;
}

inline void reference(const SelectInput&, ReferenceArgs& a) {
  const double mask = a.in(0).count() == 1 ? a.in(0).number(0) : -1;
  require(mask >= 0 && mask < a.count(1), ErrorCode::kRunFailure, "mask is ", mask, " for ", a.count(1), " values");
  copy_tensor(a.in(1, static_cast<int>(mask)), a.out(0));
}

inline constexpr const OpRow* select_input_op = &kOpRow<SelectInput>;

}  // namespace coracle
