// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "engines/openvino/network.h"
#include "ops/elementwise/sum.h"
#include "ops/index/topk.h"
#include "ops/reduce/all.h"
#include "ops/reduce/amax.h"
#include "ops/reduce/amin.h"
#include "ops/reduce/any.h"
#include "ops/reduce/argmax.h"
#include "ops/reduce/argmin.h"
#include "ops/reduce/cumsum.h"
#include "ops/reduce/logsumexp.h"
#include "ops/reduce/max.h"
#include "ops/reduce/mean.h"
#include "ops/reduce/mean_all.h"
#include "ops/reduce/min.h"
#include "ops/reduce/p_norm.h"
#include "ops/reduce/prod.h"

namespace coracle::internal::openvino {
namespace {

/// The layer of an operator, opset1.
struct ReductionLayer {
  const OpSchema* schema;
  const char* type;
};
constexpr ReductionLayer kReductionLayers[] = {
    {mean_op, "ReduceMean"},      {mean_all_op, "ReduceMean"}, {sum_op, "ReduceSum"}, {prod_op, "ReduceProd"},
    {max_op, "ReduceMax"},        {amax_op, "ReduceMax"},      {min_op, "ReduceMin"}, {amin_op, "ReduceMin"},
    {all_op, "ReduceLogicalAnd"}, {any_op, "ReduceLogicalOr"},
};

const char* reduction_layer(const Emitter& e) {
  for (const ReductionLayer& l : kReductionLayers) {
    if (l.schema == &e.schema()) return l.type;
  }
  refuse("it has no layer");
}

Ints axes_of(const std::vector<bool>& reduced) {
  Ints axes;
  for (size_t d = 0; d < reduced.size(); ++d) {
    if (reduced[d]) axes.push_back(static_cast<int64_t>(d));
  }
  return axes;
}

/// A scalar counts as one element.
Wire at_least_one_dimension(Emitter& e) { return e.shape(0).is_scalar() ? e.reshape(e.in(0), Shape{1}) : e.in(0); }

void reduce(Emitter& e, const char* type, const char* opset, Wire x, std::vector<bool> reduced) {
  if (reduced.empty()) reduced.push_back(true);
  e.set_reshaped(e.reduce(type, opset, x, axes_of(reduced)));
}

template <class T>
void emit_reduction(Emitter& e) {
  const auto& op = e.as<T>();
  const Ints axis = [&] {
    if constexpr (requires { op.axis; }) {
      return op.axis;
    } else {
      return e.ints(1);
    }
  }();
  reduce(e, reduction_layer(e), "opset1", at_least_one_dimension(e),
         reduced_dimensions(axis, op.reduce_all, e.shape(0).rank()));
}

void emit_mean_all(Emitter& e) {
  reduce(e, "ReduceMean", "opset1", at_least_one_dimension(e),
         std::vector<bool>(static_cast<size_t>(e.shape(0).rank()), true));
}

void emit_logsumexp(Emitter& e) {
  const auto& op = e.as<Logsumexp>();
  std::vector<bool> reduced = reduced_dimensions(op.axis, op.reduce_all, e.shape(0).rank());
  if (reduced.empty()) reduced.push_back(true);
  const Ints axes = axes_of(reduced);
  const Wire x = at_least_one_dimension(e);
  const Wire most = e.reduce("ReduceMax", "opset1", x, axes);
  const Wire sum = e.reduce("ReduceSum", "opset1", e.plain("Exp", {e.subtract(x, most)}), axes);
  e.set_reshaped(e.add(most, e.plain("Log", {sum})));
}

void emit_cumsum(Emitter& e) {
  const auto& op = e.as<Cumsum>();
  const bool flat = op.flatten || e.shape(0).is_scalar();
  const Wire x = flat ? e.reshape(e.in(0), Shape{e.shape(0).count()}) : e.in(0);
  const int axis = flat ? 0 : normalize_axis(e.has(1) ? e.elements(1).integer(0) : -1, e.shape(0).rank());
  if (op.exclusive && e.shape(0).count() == 1) refuse("it leaves out the only element");
  e.set_reshaped(e.layer("CumSum", "opset3", {x, e.constant(Tensor::scalar(static_cast<int64_t>(axis)))},
                         {{"exclusive", op.exclusive ? "true" : "false"}, {"reverse", op.reverse ? "true" : "false"}},
                         DType::kFloat32));
}

void emit_p_norm(Emitter& e) {
  const auto& op = e.as<PNorm>();
  const std::vector<bool> reduced = reduced_dimensions(Ints{op.axis}, op.asvector, e.shape(0).rank());
  const Wire x = at_least_one_dimension(e);
  if (op.porder == 1) return reduce(e, "ReduceL1", "opset4", x, reduced);
  if (op.porder == 2) return reduce(e, "ReduceL2", "opset4", x, reduced);
  reduce(e, op.porder > 0 ? "ReduceMax" : "ReduceMin", "opset1", e.plain("Abs", {x}), reduced);
}

std::string refuse_p_norm(const Question& q) {
  const double p = q.as<PNorm>().porder;
  return p == 1 || p == 2 || std::isinf(p) ? "" : text("its order is ", p, ", expected 1, 2 or an infinity");
}

/// The first elements along an axis when sorted, and their indices.
struct Top {
  Wire values;
  Wire indices;
};
Top top(Emitter& e, Wire x, int64_t k, int axis, bool largest, DType index) {
  const DType types[] = {e.facts().in(0).dtype, index};
  const Wire operands[] = {x, e.constant(Tensor::scalar(k))};
  const Wire first = e.layer("TopK", "opset11", operands,
                             {{"axis", std::to_string(axis)},
                              {"mode", largest ? "max" : "min"},
                              {"sort", "value"},
                              {"stable", "true"},
                              {"index_element_type", index == DType::kInt32 ? "i32" : "i64"}},
                             types);
  return {first, {first.layer, 1}};
}

template <class T>
void emit_arg_extreme(Emitter& e) {
  const auto& op = e.as<T>();
  const bool flat = op.flatten || e.shape(0).is_scalar();
  const Wire x = flat ? e.reshape(e.in(0), Shape{e.shape(0).count()}) : e.in(0);
  const int axis = flat ? 0 : normalize_axis(e.has(1) ? e.elements(1).integer(0) : -1, e.shape(0).rank());
  e.set_reshaped(top(e, x, 1, axis, std::is_same_v<T, Argmax>, e.out_dtype()).indices);
}

void emit_topk(Emitter& e) {
  const auto& op = e.as<Topk>();
  const int axis = normalize_axis(op.axis, e.shape(0).rank());
  const Top sorted = top(e, e.in(0), e.out_shape()[axis], axis, op.largest, DType::kInt64);
  e.set(sorted.values);
  e.set(sorted.indices, 1);
}

constexpr Converter kReduce[] = {
    {mean_op, kFloat, kFloat, emit_reduction<Mean>},
    {mean_all_op, kFloat, kFloat, emit_mean_all},
    {sum_op, kFloat, kFloat, emit_reduction<Sum>},
    {prod_op, kFloat, kFloat, emit_reduction<Prod>},
    {max_op, kFloat, kFloat, emit_reduction<Max>},
    {min_op, kFloat, kFloat, emit_reduction<Min>},
    {amax_op, kFloat, kFloat, emit_reduction<Amax>},
    {amin_op, kFloat, kFloat, emit_reduction<Amin>},
    {all_op, kBool, kBool, emit_reduction<All>},
    {any_op, kBool, kBool, emit_reduction<Any>},
    {logsumexp_op, kFloat, kFloat, emit_logsumexp},
    {cumsum_op, kFloat, kFloat, emit_cumsum},
    {p_norm_op, kFloat, kFloat, emit_p_norm, refuse_p_norm},
    {argmax_op, kFloat, kInt32 | kInt64, emit_arg_extreme<Argmax>},
    {argmin_op, kFloat, kInt32 | kInt64, emit_arg_extreme<Argmin>},
    {topk_op, kFloat, kFloat, emit_topk, refuse_scalar, 2, 2},
};

}  // namespace

extern const ConverterTable convert_reduce;
const ConverterTable convert_reduce{kReduce};

}  // namespace coracle::internal::openvino
