// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/lowering.h"
#include "ops/creation/arange.h"
#include "ops/elementwise/add.h"
#include "ops/movement/concat.h"
#include "ops/movement/slice.h"
#include "ops/sequence/lod_reset.h"
#include "ops/sequence/sequence_pool.h"
#include "ops/shape/shape.h"

namespace coracle::internal {

/// The pooled sequences of all operands at slot X side by side, each after `change`; every row a sequence of its own.
template <class Change>
ValueId add_pooled_rows(Lowering& l, const Change& change) {
  const SequencePool pool =
      l.attributes().has("pooltype") ? l.read<SequencePool>() : SequencePool{.pooltype = SequencePooling::kSum};
  std::vector<ValueId> parts;
  for (const ValueId x : l.inputs("X")) parts.push_back(change(l.add(pool, {{x}})));
  const auto number = [&](int64_t n) { return l.constant(Tensor::ints(Ints{n})); };
  const ValueId joined = l.add(Concat{}, {parts, {number(l.attribute<int64_t>("axis", 1))}});
  const ValueId shape = l.add(ShapeOp{.dtype = DType::kInt64}, {{joined}});
  Slice first;
  first.axes = {0};
  const ValueId rows = l.add(first, {{shape}, {number(0)}, {number(1)}});
  const ValueId end = l.add(Add{}, {{rows}, {number(1)}});
  const ValueId offsets = l.add(Arange{.dtype = DType::kInt64}, {{number(0)}, {end}, {number(1)}});
  return l.add(LodReset{}, {{joined}, {offsets}});
}

/// The pooled sequences of several operands side by side, of a program that was optimised before it was saved.
struct FusionSeqpoolConcat {
  static constexpr const char* kName = "fusion_seqpool_concat";
  static constexpr const char* kLegacy[] = {"fusion_seqpool_concat"};
  static constexpr Port kInputs[] = {list_in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static void lower(Lowering& l) {
    l.bind("Out", add_pooled_rows(l, [](ValueId x) { return x; }));
  }
  friend bool operator==(const FusionSeqpoolConcat&, const FusionSeqpoolConcat&) = default;
};

inline constexpr const OpSchema* fusion_seqpool_concat_op = &kOpSchema<FusionSeqpoolConcat>;

}  // namespace coracle::internal
