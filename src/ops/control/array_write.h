// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/control/arrays.h"

namespace coracle::internal {

/// The array with x at position i, longer where i lies behind its end. The operand `array` is the array until then; in
/// a ProgramDesc it is what the output variable held, absent where nothing was written yet.
struct ArrayWrite {
  static constexpr const char* kName = "array_write";
  static constexpr const char* kLegacy[] = {"write_to_array"};
  static constexpr LodRule kLod = LodRule::kOwn;
  static constexpr Port kInputs[] = {optional_in("array", "Out"), in("x", "X"), in("i", "I")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr bool kAnyType = true;
  friend bool operator==(const ArrayWrite&, const ArrayWrite&) = default;
};

inline void infer(const ArrayWrite&, InferArgs& a) {
  if (a.has(0)) require_array(a, 0);
  Fact elements = a.in(1);
  elements.is_array = true;
  a.out(0) = joined(elements, a.has(0) && a.in(0).is_array ? a.in(0) : elements);
}

/// Elements outlive the memory of x, so they are copies. The list is not copied where nothing else holds it: a loop
/// that fills an array takes time in proportion to its length.
inline void reference(const ArrayWrite&, ReferenceArgs& a) {
  constexpr int64_t kMaxElements = 1 << 20;
  require(a.in(2).count() == 1, ErrorCode::kRunFailure, "the position in a tensor array is a tensor ", a.shape(2),
          ", expected one element");
  const int64_t i = a.in(2).integer(0);
  require(i >= 0 && i < kMaxElements, ErrorCode::kRunFailure, "the position in a tensor array is ", i,
          ", expected at least 0 and less than ", kMaxElements);
  a.out(0) = a.has(0) ? a.take(0).own_array() : Tensor::array(a.in(1).dtype());
  std::vector<Tensor>& elements = a.out(0).elements();
  const auto at = static_cast<size_t>(i);
  if (elements.size() <= at) elements.resize(at + 1);
  elements[at] = a.in(1).clone(a.context());
}

inline constexpr const OpSchema* array_write_op = &kOpSchema<ArrayWrite>;

}  // namespace coracle::internal
