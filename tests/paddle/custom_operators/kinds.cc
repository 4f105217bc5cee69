// SPDX-License-Identifier: Apache-2.0
// Custom operators with every kind of parameter.
#include <string>
#include <vector>

#include "paddle/extension.h"

namespace {

using Shape = std::vector<int64_t>;

// Optional and listed tensors, attributes of all types, two results of types and shapes of their own.
std::vector<paddle::Tensor> affine(const paddle::Tensor& x, const paddle::optional<paddle::Tensor>& bias,
                                   const std::vector<paddle::Tensor>& parts, bool twice, int shift, int64_t wide,
                                   float scale, const std::string& mode, const std::vector<int>& sizes,
                                   const std::vector<float>& ratios, const std::vector<int64_t>& wides,
                                   const std::vector<std::string>& names) {
  PD_CHECK(mode == "sum", "mode is ", mode);
  PD_CHECK(names.size() == 2 && names[1] == "b");
  paddle::Tensor y = paddle::empty_like(x);
  paddle::Tensor count = paddle::full({1}, 0, paddle::DataType::INT64);
  for (int64_t i = 0; i < x.numel(); ++i) {
    float value = x.data<float>()[i] * scale + static_cast<float>(shift);
    if (bias) value += bias->data<float>()[i % bias->numel()];
    for (const paddle::Tensor& part : parts) value += part.data<float>()[i];
    y.data<float>()[i] = twice ? 2 * value : value;
  }
  count.data<int64_t>()[0] = wide + sizes.at(0) + sizes.at(1) + wides.at(0) + static_cast<int64_t>(ratios.at(1) * 4) +
                             static_cast<int64_t>(parts.size());
  return {y, count};
}
std::vector<Shape> affine_shapes(Shape x, const paddle::optional<Shape>& bias, const std::vector<Shape>& parts) {
  PD_CHECK(!bias || bias->size() == 1, "bias has one dimension");
  for (const Shape& part : parts) PD_CHECK(part.size() == x.size());
  return {x, {1}};
}
std::vector<paddle::DataType> affine_types(paddle::DataType x, const paddle::optional<paddle::DataType>&,
                                           const std::vector<paddle::DataType>&) {
  return {x, paddle::DataType::INT64};
}

// Changes its operand, of which others need what it was.
void add_in_place(paddle::Tensor& x, const paddle::Tensor& y) {  // NOLINT(google-runtime-references): Paddle's way
  for (int64_t i = 0; i < x.numel(); ++i) x.data<float>()[i] += y.data<float>()[i];
}

// Results through pointers, a list of them.
void halves(const paddle::Tensor& x, std::vector<paddle::Tensor*> out) {
  for (size_t h = 0; h < out.size(); ++h) {
    const Shape shape = {x.shape()[0] / static_cast<int64_t>(out.size())};
    *out[h] = paddle::empty(shape, x.dtype());
    for (int64_t i = 0; i < shape[0]; ++i) {
      out[h]->data<float>()[i] = x.data<float>()[static_cast<int64_t>(h) * shape[0] + i];
    }
  }
}
std::vector<Shape> halves_shapes(Shape x) { return {{x[0] < 0 ? -1 : x[0] / 2}}; }
std::vector<paddle::DataType> halves_types(const paddle::DataType& x) { return {x}; }

// As many elements as are above the limit.
std::vector<paddle::Tensor> above(const paddle::Tensor& x, const paddle::Tensor& limit) {
  std::vector<float> kept;
  for (int64_t i = 0; i < x.numel(); ++i) {
    if (x.data<float>()[i] > limit.data<float>()[0]) kept.push_back(x.data<float>()[i]);
  }
  paddle::Tensor out = paddle::empty({static_cast<int64_t>(kept.size())});
  std::copy(kept.begin(), kept.end(), out.data<float>());
  return {out};
}

}  // namespace

PD_BUILD_OP(test_affine)
    .Inputs({"X", paddle::Optional("Bias"), paddle::Vec("Parts")})
    .Outputs({"Out", "Count"})
    .Attrs({"twice: bool", "shift: int", "wide: int64_t", "scale: float", "mode: std::string",
            "sizes: std::vector<int>", "ratios: std::vector<float>", "wides: std::vector<int64_t>",
            "names: std::vector<std::string>"})
    .SetKernelFn(PD_KERNEL(affine))
    .SetInferShapeFn(PD_INFER_SHAPE(affine_shapes))
    .SetInferDtypeFn(PD_INFER_DTYPE(affine_types));

PD_BUILD_OP(test_add_in_place)
    .Inputs({"X", "Y"})
    .Outputs({"Out"})
    .SetInplaceMap({{"X", "Out"}})
    .SetKernelFn(PD_KERNEL(add_in_place));

PD_BUILD_OP(test_halves)
    .Inputs({"X"})
    .Outputs({paddle::Vec("Out")})
    .SetKernelFn(PD_KERNEL(halves))
    .SetInferShapeFn(PD_INFER_SHAPE(halves_shapes))
    .SetInferDtypeFn(PD_INFER_DTYPE(halves_types));

PD_BUILD_OP(test_above).Inputs({"X", "Limit"}).Outputs({"Out"}).SetKernelFn(PD_KERNEL(above));
