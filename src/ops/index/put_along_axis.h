// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "base/buffer.h"
#include "base/convert.h"
#include "graph/lowering.h"
#include "ops/elementwise/arithmetic.h"
#include "ops/index/along_axis.h"
#include "ops/movement/expanding.h"

namespace coracle::internal {

/// How values that meet at one place are put together.
enum class PutReduce : uint8_t { kAssign, kAdd, kMultiply, kMean, kMin, kMax };

/// arr with `values` put at `indices` along `axis`, the last one winning or all reduced; `include_self` counts the
/// element of arr among them.
struct PutAlongAxis {
  static constexpr const char* kName = "put_along_axis";
  static constexpr const char* kLegacy[] = {"put_along_axis"};
  static constexpr Port kInputs[] = {in("arr", "Input"), in("indices", "Index"), in("values", "Value")};
  static constexpr Port kOutputs[] = {out("out", "Result")};
  static constexpr LodRule kLod = LodRule::kFirst;
  int axis = 0;
  std::string reduce = "assign";
  bool include_self = true;
  bool as_matrices = false;  ///< see each_along_axis
  void attributes(AttributeVisitor& visit) {
    visit("axis", axis, "Axis");
    visit("reduce", reduce, "Reduce");
    visit("include_self", include_self, "Include_self");
    visit("as_matrices", as_matrices);
  }
  friend bool operator==(const PutAlongAxis&, const PutAlongAxis&) = default;
  static void lower(Lowering& l);
};

inline PutReduce put_reduce_of(const std::string& name) {
  if (name == "assign") return PutReduce::kAssign;
  if (name == "add") return PutReduce::kAdd;
  if (name == "mul" || name == "multiply") return PutReduce::kMultiply;
  if (name == "mean") return PutReduce::kMean;
  if (name == "amin") return PutReduce::kMin;
  if (name == "amax") return PutReduce::kMax;
  fail(ErrorCode::kUnsupported, "reduce is '", name, "', expected assign, add, mul, mean, amin or amax");
}

inline void infer(const PutAlongAxis& op, InferArgs& a) {
  put_reduce_of(op.reduce);
  require(a.dtype(0) == a.dtype(2), "arr is ", a.dtype(0), " and values ", a.dtype(2));
  require_along_axis(a.shape(0), a.shape(1), op.axis);
  if (a.shape(1).known() && a.shape(2).known()) {
    require(broadcast(a.shape(1), a.shape(2)) == a.shape(1), "values ", a.shape(2), " do not broadcast to indices ",
            a.shape(1));
  }
  a.set(0, a.dtype(0), a.shape(0));
}

inline void reference(const PutAlongAxis& op, ReferenceArgs& a) {
  copy_tensor(a.context(), a.in(0), a.out(0));
  const int axis = normalize_axis(op.axis, a.shape(0).rank());
  const PutReduce reduce = put_reduce_of(op.reduce);
  Tensor values = a.make(a.in(2).dtype(), a.shape(1));
  gather_elements(a.context(), a.in(2), broadcast_steps(a.shape(2), a.shape(1)), values);
  visit_real(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    T* to = a.out(0).data<T>();
    Buffer<int64_t> met(static_cast<size_t>(a.out(0).count()), op.include_self ? 1 : 0, a.context());
    each_along_axis(a.context(), a.in(1), a.shape(0), axis, op.as_matrices, [&](int64_t i, int64_t at) {
      const T value = values.data<T>()[i];
      T& target = to[at];
      // NOLINTNEXTLINE(bugprone-branch-clone): of truth values some are the same
      if (met[static_cast<size_t>(at)]++ == 0 || reduce == PutReduce::kAssign) {
        target = value;
      } else if (reduce == PutReduce::kAdd || reduce == PutReduce::kMean) {
        target = wrapped_sum(target, value);
      } else if (reduce == PutReduce::kMultiply) {
        target = wrapped_product(target, value);
      } else if (reduce == PutReduce::kMin ? value < target : target < value) {
        target = value;
      }
    });
    if (reduce != PutReduce::kMean) return;
    for (size_t i = 0; i < met.size(); ++i) {
      if (met[i] > 1) to[i] = convert<T>(static_cast<double>(to[i]) / static_cast<double>(met[i]));
    }
  });
}

inline void PutAlongAxis::lower(Lowering& l) {
  auto op = l.read<PutAlongAxis>();
  op.as_matrices = !l.is_pir();
  l.bind("Result", l.add(op, l.ports_of(kOpSchema<PutAlongAxis>)));
}

inline constexpr const OpSchema* put_along_axis_op = &kOpSchema<PutAlongAxis>;

}  // namespace coracle::internal
