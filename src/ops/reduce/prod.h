// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/reduce/reduction.h"

namespace coracle::internal {

/// out = the product over the axes; bool multiplies as int64 unless a type is named
struct Prod : OperandReduction {
  static constexpr const char* kName = "prod";
  static constexpr const char* kLegacy[] = {"reduce_prod"};
  std::optional<DType> dtype;
  DType result(DType x) const {
    if (dtype) return *dtype;
    return x == DType::kBool ? DType::kInt64 : x;
  }
  void attributes(AttributeVisitor& visit) {
    OperandReduction::attributes(visit);
    visit("dtype", dtype, "out_dtype");
  }
  friend bool operator==(const Prod&, const Prod&) = default;
};

inline void infer(const Prod& op, InferArgs& a) { a.set(0, op.result(a.dtype(0)), infer_operand_reduction(op, a)); }

inline void reference(const Prod& op, ReferenceArgs& a) {
  const std::vector<bool> reduced = operand_axes(op, a);
  if (is_complex(a.in(0).dtype())) {
    return reference_complex_reduction(a.context(), a.in(0), reduced, a.out(0), ComplexReduction::kProduct);
  }
  if (!is_float(a.in(0).dtype())) {
    reference_integer_reduction(a.context(), a.in(0), reduced, a.out(0), 1, [](int64_t s, int64_t x) {
      return static_cast<int64_t>(static_cast<uint64_t>(s) * static_cast<uint64_t>(x));
    });
    return;
  }
  reference_reduction(
      a.context(), a.in(0), reduced, a.out(0), 1.0, [](double s, double x) { return s * x; },
      [](double s, double) { return s; });
}

inline constexpr const OpSchema* prod_op = &kOpSchema<Prod>;

}  // namespace coracle::internal
