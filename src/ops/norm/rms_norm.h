// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <vector>

#include "base/buffer.h"
#include "graph/lowering.h"
#include "ops/common/operand_types.h"
#include "ops/norm/normalization.h"

namespace coracle::internal {

/// x / sqrt(mean(x^2) + epsilon) * norm_weight + norm_bias over the dimensions from begin_norm_axis on, where x stands
/// for x + bias + residual (which is residual_out). Paddle 3.3's operator of this name has the operands x and
/// norm_weight, the results out and inv_var, and the attribute normalized_shape instead of begin_norm_axis.
struct RmsNorm {
  static constexpr const char* kName = "rms_norm";
  static constexpr const char* kLegacy[] = {"rms_norm"};
  static constexpr Port kInputs[] = {in("x", "x"), optional_weight_in("bias", "bias"),
                                     optional_in("residual", "residual"), weight_in("norm_weight", "norm_weight"),
                                     optional_weight_in("norm_bias", "norm_bias")};
  static constexpr Port kOutputs[] = {out("out", "out"), optional_out("residual_out", "residual_out"),
                                      optional_out("inv_var", "inv_var")};
  double epsilon = 1e-5;
  int begin_norm_axis = 1;
  double quant_scale = -1;
  void attributes(AttributeVisitor& visit) {
    visit("epsilon", epsilon);
    visit("begin_norm_axis", begin_norm_axis);
    visit("quant_scale", quant_scale);
  }
  friend bool operator==(const RmsNorm&, const RmsNorm&) = default;

  static void lower(Lowering& in);
};

inline void infer(const RmsNorm& op, InferArgs& a) {
  require(is_float(a.dtype(0)), "x is ", a.dtype(0), ", expected a real type");
  require(op.quant_scale <= 0, ErrorCode::kUnsupported, "a quantised result is not supported");
  require_one_dtype(a, {2});
  const Shape& x = a.shape(0);
  a.set(0, a.dtype(0), x);
  a.set(1, a.dtype(0), x);
  if (!x.rank_known()) {
    a.set(2, DType::kFloat32, x);
    return;
  }
  const int axis = normalize_axis(op.begin_norm_axis, x.rank(), "begin_norm_axis");
  const int64_t n = x.known() ? x.count(axis, x.rank()) : Shape::kUnknown;
  check_channels(a, 1, n, "bias");
  check_channels(a, 3, n, "norm_weight");
  check_channels(a, 4, n, "norm_bias");
  if (a.has(2)) require(compatible(x, a.shape(2)), "x ", x, " and residual ", a.shape(2), " differ in shape");
  a.set(2, DType::kFloat32, Shape(std::span(x.begin(), static_cast<size_t>(axis))));
}

inline void reference(const RmsNorm& op, ReferenceArgs& a) {
  const Shape& s = a.shape(0);
  const int axis = normalize_axis(op.begin_norm_axis, s.rank());
  const int64_t n = s.count(axis, s.rank());
  const Floats bias = numbers_or(a, 1, n, 0);
  const Floats weight = numbers_or(a, 3, n, 1);
  const Floats shift = numbers_or(a, 4, n, 0);
  Buffer<double> row(static_cast<size_t>(n), a.context());
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    for (int64_t r = 0; r < s.count(0, axis); ++r) {
      double squares = 0;
      for (int64_t i = 0; i < n; ++i) {
        const auto k = static_cast<size_t>(i);
        row[k] = static_cast<double>(a.in(0).data<T>()[r * n + i]) + bias[k];
        if (a.has(2)) row[k] += static_cast<double>(a.in(2).data<T>()[r * n + i]);
        squares += row[k] * row[k];
      }
      const double inverse = 1.0 / std::sqrt(squares / static_cast<double>(n) + op.epsilon);
      for (int64_t i = 0; i < n; ++i) {
        const auto k = static_cast<size_t>(i);
        a.out(0).data<T>()[r * n + i] = static_cast<T>(row[k] * inverse * weight[k] + shift[k]);
        if (a.wants(1)) a.out(1).data<T>()[r * n + i] = static_cast<T>(row[k]);
      }
      if (a.wants(2)) a.out(2).data<float>()[r] = static_cast<float>(inverse);
    }
  });
}

inline void RmsNorm::lower(Lowering& in) {
  const OpSchema& schema = kOpSchema<RmsNorm>;
  if (!in.is_pir() || !in.attributes().has("normalized_shape")) return in.lower_by_ports(schema);
  RmsNorm op;
  op.epsilon = in.attribute<double>("epsilon", op.epsilon);
  const Ints normalized = in.attribute<Ints>("normalized_shape");
  const ValueId x = in.input("x");
  const Shape& shape = in.fact(x).shape;
  const int axis = shape.rank() - static_cast<int>(normalized.size());
  require(shape.rank_known() && axis >= 0, "normalized_shape has ", normalized.size(), " dimensions, x ", shape);
  for (size_t i = 0; i < normalized.size(); ++i) {
    const int64_t size = shape[axis + static_cast<int>(i)];
    require(size == Shape::kUnknown || size == normalized[i], "normalized_shape ", Shape(normalized),
            " is not that of the last dimensions of x ", shape);
  }
  op.begin_norm_axis = axis;
  const ValueId weight = in.input("bias");  // operand 1 of this form
  require(weight != kNoValue, ErrorCode::kUnsupported, "a norm without weight is not supported; export it with ones");
  const NodeId node = in.add_node(op, {{x}, {}, {}, {weight}, {}}, {1, 0, 1});
  in.bind("out", in.graph().node(node).output(0));
  if (in.has_output("residual_out")) in.bind("residual_out", in.graph().node(node).output(2));
}

inline constexpr const OpSchema* rms_norm_op = &kOpSchema<RmsNorm>;

}  // namespace coracle::internal
