// SPDX-License-Identifier: Apache-2.0
#include "ops/quantize/integer_product.h"

#include "base/convert.h"
#include "ops/common/binary.h"

namespace coracle::internal {

int8_t quantized_to_int8(float x, float scale, QuantizationRounding rounding) {
  const float q = quantized(x, scale, kInt8Limit, rounding);
  return std::isnan(q) ? int8_t{0} : static_cast<int8_t>(q);
}

void infer_integer_product(const IntegerProduct& op, InferArgs& a, const Shape& shape, int channel_axis) {
  require(a.dtype(0) == DType::kInt8, "operand 0 is ", a.dtype(0), ", expected int8");
  require(a.dtype(1) == DType::kInt8, "operand 1 is ", a.dtype(1), ", expected int8");
  int tensor = 0;
  for (const EpilogueStep& step : op.epilogue) {
    if (!takes_tensor(step.kind) || tensor == a.count(2)) continue;
    const DType expected = step.kind == EpilogueKind::kAddIntegers ? DType::kInt8 : DType::kFloat32;
    const DType found = a.dtype(2, tensor++);
    require(found == expected, "an epilogue tensor is ", found, ", expected ", expected);
  }
  require(std::isfinite(op.result_scale) && op.result_scale >= 0, "result_scale is ", op.result_scale,
          ", expected 0 or a scale above it");
  a.set(0, DType::kFloat32, shape);
  infer_epilogue(op, a, 2, channel_axis);
  if (op.result_scale > 0) a.out(0).dtype = DType::kInt8;
}

void reference_integer_product(const IntegerProduct& op, ReferenceArgs& a, const Tensor& sums, int channel_axis) {
  const Tensor result = epilogue_in_float(op, a, converted(a.context(), sums, DType::kFloat32), 2, channel_axis);
  if (op.result_scale == 0) {
    a.out(0) = result;
    return;
  }
  Tensor integers = a.make(DType::kInt8, result.shape());
  std::transform(result.data<float>(), result.data<float>() + result.count(), integers.data<int8_t>(),
                 [&](float x) { return quantized_to_int8(x, op.result_scale, op.round_type); });
  a.out(0) = std::move(integers);
}

Tensor exact_integers(const RunContext& context, const Tensor& t) { return converted(context, t, DType::kFloat64); }

}  // namespace coracle::internal
