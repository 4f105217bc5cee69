// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/reduce/reduction.h"

namespace coracle::internal {

/// out = the sum over the axes; bool and int32 add up as int64 unless a type is named
struct Sum : OperandReduction {
  static constexpr const char* kName = "sum";
  static constexpr const char* kLegacy[] = {"reduce_sum"};
  std::optional<DType> dtype;
  DType result(DType x) const {
    if (dtype) return *dtype;
    return x == DType::kBool || x == DType::kInt32 ? DType::kInt64 : x;
  }
  void attributes(AttributeVisitor& visit) {
    OperandReduction::attributes(visit);
    visit("dtype", dtype, "out_dtype");
  }
  friend bool operator==(const Sum&, const Sum&) = default;
};

inline void infer(const Sum& op, InferArgs& a) { a.set(0, op.result(a.dtype(0)), infer_operand_reduction(op, a)); }

inline void reference(const Sum& op, ReferenceArgs& a) {
  const std::vector<bool> reduced = operand_axes(op, a);
  if (is_complex(a.in(0).dtype())) {
    return reference_complex_reduction(a.context(), a.in(0), reduced, a.out(0), ComplexReduction::kSum);
  }
  if (!is_float(a.in(0).dtype())) {
    reference_integer_reduction(a.context(), a.in(0), reduced, a.out(0), 0, [](int64_t s, int64_t x) {
      return static_cast<int64_t>(static_cast<uint64_t>(s) + static_cast<uint64_t>(x));
    });
    return;
  }
  reference_reduction(
      a.context(), a.in(0), reduced, a.out(0), 0.0, [](double s, double x) { return s + x; },
      [](double s, double) { return s; });
}

inline constexpr const OpSchema* sum_op = &kOpSchema<Sum>;

}  // namespace coracle::internal
