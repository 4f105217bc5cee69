// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "graph/lowering.h"
#include "ops/common/binary.h"
#include "ops/matmul/einsum_formula.h"

namespace coracle::internal {

/// An Einstein summation: the equation names the dimensions of the operands and of the result.
struct Einsum {
  static constexpr const char* kName = "einsum";
  static constexpr const char* kLegacy[] = {"einsum"};
  static constexpr Port kInputs[] = {list_in("x", "Operands")};
  static constexpr Port kOutputs[] = {out("out", "Out"), list_out("inner_cache", "InnerCache"),
                                      list_out("xshape", "XShape")};
  static constexpr LodRule kLod = LodRule::kDerived;
  std::string equation;
  bool shares_lod = false;  ///< PIR: a product has the sequence offsets of x where its dimensions lead
  void attributes(AttributeVisitor& visit) {
    visit("equation", equation);
    visit("shares_lod", shares_lod);
  }
  friend bool operator==(const Einsum&, const Einsum&) = default;
  static void lower(Lowering& l);
};

inline void infer(const Einsum& op, InferArgs& a) {
  std::vector<int> ranks;
  std::vector<Shape> shapes;
  DType dtype = a.dtype(0, 0);
  bool known = true;
  for (int i = 0; i < a.count(0); ++i) {
    known = known && a.shape(0, i).rank_known();
    ranks.push_back(known ? a.shape(0, i).rank() : 0);
    shapes.push_back(a.shape(0, i));
    dtype = promote(dtype, a.dtype(0, i));
  }
  for (int port : {1, 2}) {
    for (int i = 0; i < a.out_count(port); ++i) a.set(port, dtype, Shape{0}, i);
  }
  if (!known) return a.set(0, dtype, Shape::unknown_rank());
  const EinsumPlan plan = plan_einsum(op.equation, ranks);
  const std::vector<int64_t> sizes = einsum_sizes(plan, shapes);
  Shape y;
  for (int label : plan.result) y.push_back(sizes[static_cast<size_t>(label)]);
  a.set(0, dtype, y);
  if ((op.shares_lod || a.count(0) == 1) && first_operand_leads(plan)) a.out(0).lod = a.in(0).lod;
}

inline void reference(const Einsum& op, ReferenceArgs& a) {
  std::vector<int> ranks;
  std::vector<Tensor> operands;
  for (int i = 0; i < a.count(0); ++i) {
    ranks.push_back(a.shape(0, i).rank());
    operands.push_back(converted(a.context(), a.in(0, i), a.out(0).dtype()));
  }
  reference_einsum(a.context(), plan_einsum(op.equation, ranks), operands, a.out(0));
}

/// Nothing but a gradient reads the other results.
inline void Einsum::lower(Lowering& l) {
  auto op = l.read<Einsum>();
  op.shares_lod = l.is_pir();
  l.bind("Out", l.add(op, l.ports_of(kOpSchema<Einsum>)));
}

inline constexpr const OpSchema* einsum_op = &kOpSchema<Einsum>;

}  // namespace coracle::internal
