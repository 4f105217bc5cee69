// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/lowering.h"
#include "ops/movement/concat.h"
#include "ops/movement/transpose.h"
#include "ops/shape/flatten2.h"

namespace coracle::internal {

/// The operands transposed, flattened to matrices and joined, of a program that was optimised before it was saved.
struct FusionTransposeFlattenConcat {
  static constexpr const char* kName = "fusion_transpose_flatten_concat";
  static constexpr const char* kLegacy[] = {"fusion_transpose_flatten_concat"};
  static constexpr Port kInputs[] = {list_in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static void lower(Lowering& l) {
    Transpose transpose;
    transpose.perm = l.attribute<Ints>("trans_axis");
    Flatten2 flatten;
    flatten.axis = l.attribute<int>("flatten_axis", 1);
    std::vector<ValueId> parts;
    for (const ValueId x : l.inputs("X")) parts.push_back(l.add(flatten, {{l.add(transpose, {{x}})}}));
    const auto axis = l.attribute<int64_t>("concat_axis", 1);
    l.bind("Out", l.add(Concat{}, {parts, {l.constant(Tensor::scalar(axis))}}));
  }
  friend bool operator==(const FusionTransposeFlattenConcat&, const FusionTransposeFlattenConcat&) = default;
};

inline constexpr const OpSchema* fusion_transpose_flatten_concat_op = &kOpSchema<FusionTransposeFlattenConcat>;

}  // namespace coracle::internal
