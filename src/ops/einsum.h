// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ops/common/binary.h"
#include "ops/common/einsum.h"

namespace coracle {

/// An Einstein summation: the equation names the dimensions of the operands and of the result.
struct Einsum {
  static constexpr const char* kName = "einsum";
  static constexpr const char* kLegacy[] = {"einsum"};
  static constexpr Port kInputs[] = {list_in("x", "Operands")};
  static constexpr Port kOutputs[] = {out("out", "Out"), list_out("inner_cache", "InnerCache"),
                                      list_out("xshape", "XShape")};
  std::string equation;
  void attributes(AttributeVisitor& visit) { visit("equation", equation); }
  friend bool operator==(const Einsum&, const Einsum&) = default;
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
}

inline void reference(const Einsum& op, ReferenceArgs& a) {
  std::vector<int> ranks;
  std::vector<Tensor> operands;
  for (int i = 0; i < a.count(0); ++i) {
    ranks.push_back(a.shape(0, i).rank());
    operands.push_back(converted(a.in(0, i), a.out(0).dtype()));
  }
  reference_einsum(plan_einsum(op.equation, ranks), operands, a.out(0));
}

inline constexpr const OpRow* einsum_op = &kOpRow<Einsum>;

}  // namespace coracle
