// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/buffer.h"
#include "ops/quantize/weight_packing.h"

namespace coracle::internal {

/// A matrix x [k, n] in integers: one scale for each column (and group of rows), in the order of `algo` (see
/// weight_packing.h).
struct WeightQuantize {
  static constexpr const char* kName = "weight_quantize";
  static constexpr const char* kLegacy[] = {"weight_quantize"};
  static constexpr Port kInputs[] = {in("x", "x")};
  static constexpr Port kOutputs[] = {out("out", "out"), out("scale", "scale")};
  std::string algo = "weight_only_int8";
  int arch = 80;
  int group_size = -1;
  void attributes(AttributeVisitor& visit) {
    visit("algo", algo);
    visit("arch", arch);
    visit("group_size", group_size);
  }
  friend bool operator==(const WeightQuantize&, const WeightQuantize&) = default;
};

inline void infer(const WeightQuantize& op, InferArgs& a) {
  const Shape& x = a.shape(0);
  const WeightPacking packing = weight_packing(op.algo, op.arch);
  require(is_float(a.dtype(0)), "x is ", a.dtype(0), ", expected a real type");
  require(op.group_size == -1, ErrorCode::kUnsupported, "group_size is ", op.group_size, ", only -1 is supported");
  Shape y{Shape::kUnknown, Shape::kUnknown};
  Shape scale{Shape::kUnknown};
  if (x.rank_known()) {
    require(x.rank() == 2, "x is ", x, ", expected a matrix");
    if (x.known()) require_packable(packing, x[0], x[1]);
    y = {x[1] < 0 ? x[1] : x[1] * packing.bits / 8, x[0]};
    scale = {x[1]};
  }
  a.set(0, DType::kInt8, y);
  a.set(1, packing.plain ? DType::kFloat32 : a.dtype(0), scale);
}

inline void reference(const WeightQuantize& op, ReferenceArgs& a) {
  const WeightPacking packing = weight_packing(op.algo, op.arch);
  const int64_t rows = a.shape(0)[0];
  const int64_t columns = a.shape(0)[1];
  const double most = packing.bits == 8 ? 127 : 7;
  const Buffer<double> x = a.doubles(0);
  Buffer<double> scales(static_cast<size_t>(columns), 0.0, a.context());
  for (size_t i = 0; i < x.size(); ++i) {
    double& scale = scales[i % static_cast<size_t>(columns)];
    scale = std::max(scale, std::fabs(x[i]) / most);
  }
  Tensor stored = a.make(packing.plain ? DType::kFloat32 : a.in(0).dtype(), Shape{columns});
  stored.assign(a.context(), std::span<const double>(scales));
  scales = doubles_of(a.context(), stored);
  std::vector<int8_t> whole;
  for (size_t i = 0; i < x.size(); ++i) {
    const double scale = scales[i % static_cast<size_t>(columns)];
    const double q = scale == 0 ? 0.0 : std::round(x[i] / scale);
    whole.push_back(static_cast<int8_t>(q >= -most ? std::min(q, most) : -most));
  }
  pack_weight(packing, whole, rows, columns, a.out(0).data<int8_t>());
  if (a.wants(1)) a.out(1).assign(a.context(), std::span<const double>(scales));
}

inline constexpr const OpSchema* weight_quantize_op = &kOpSchema<WeightQuantize>;

}  // namespace coracle::internal
