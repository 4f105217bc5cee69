// SPDX-License-Identifier: Apache-2.0
#include "model/paddle_lite_parameters.h"

#include <algorithm>
#include <vector>

#include "base/counted.h"
#include "base/error.h"
#include "base/printable.h"

namespace coracle::internal::paddle_lite {

using programdesc::Operator;
using programdesc::Variable;

namespace {

constexpr std::string_view kScalesInFile = "_quant_scale";

/// The dimension with as many elements as there are scales: `first`, or else `second`.
int axis_with(int64_t scales, int first, int second, std::string_view variable, const Shape& shape) {
  if (scales == 1) return -1;
  for (int axis : {first, second}) {
    if (axis < shape.rank() && shape[axis] == scales) return axis;
  }
  fail(ErrorCode::kInvalidModel, "its parameter ", in_quotes(variable), " of ", shape, " has ",
       counted(static_cast<size_t>(scales), "scale"), ", expected one for each element of dimension ", first);
}

}  // namespace

bool is_convolution(std::string_view type) {
  return type == "conv2d" || type == "depthwise_conv2d" || type == "conv2d_transpose" ||
         type == "depthwise_conv2d_transpose" || type == "conv3d";
}

Floats noted_scales(const Operator& op, std::string_view name, std::string_view old_name) {
  return op.attributes.get<Floats>(op.attributes.has(name) ? name : old_name);
}

SmallParameters::SmallParameters(Model& model) : model_(model) {
  for (const programdesc::Block& block : model.program.blocks) {
    for (const Operator& op : block.operators) {
      for (const auto& [name, value] : op.attributes.all()) {
        if (!name.ends_with(kScalesInFile)) continue;
        const std::string parameter = name.substr(0, name.size() - kScalesInFile.size());
        const auto found = model.parameters.find(parameter);
        if (found == model.parameters.end()) continue;
        const bool is_first = op.type == "conv2d" || op.type == "depthwise_conv2d" || found->second.shape().rank() < 2;
        Scales scales{op.attributes.get<Floats>(name)};
        scales.axis = axis_with(static_cast<int64_t>(scales.values.size()), is_first ? 0 : 1, is_first ? 1 : 0,
                                parameter, found->second.shape());
        of_files_.emplace(parameter, std::move(scales));
      }
    }
  }
}

std::optional<SmallParameters::Scales> SmallParameters::scales_of(const Operator& op, std::string_view slot,
                                                                  std::string_view variable, const Shape& shape) const {
  if (const auto found = of_files_.find(variable); found != of_files_.end()) return found->second;
  if (!op.attributes.get<bool>("enable_int8")) return std::nullopt;
  const bool is_weight = slot == "Filter" || slot == "W" || slot == "Y";
  Scales scales{noted_scales(op, text(slot, "0_scale"), is_weight ? "weight_scale" : "")};
  if (scales.values.empty() && slot == "W") scales.values = noted_scales(op, "Y0_scale", "");
  if (scales.values.empty()) return std::nullopt;
  const bool is_transposed = op.type.find("_transpose") != std::string_view::npos;
  const bool rows = slot == "Y" && (op.attributes.get<bool>("trans_y") || op.attributes.get<bool>("transpose_Y"));
  const bool is_first = (is_convolution(op.type) && !is_transposed) || rows || shape.rank() < 2;
  scales.axis =
      axis_with(static_cast<int64_t>(scales.values.size()), is_first ? 0 : 1, is_first ? 1 : 0, variable, shape);
  return scales;
}

std::optional<Operator> SmallParameters::restoring(const Operator& op, std::string_view slot,
                                                   std::string_view variable) {
  const auto parameter = model_.parameters.find(variable);
  if (parameter == model_.parameters.end()) return std::nullopt;
  const Tensor& tensor = parameter->second;
  Operator made;
  made.inputs.push_back({"X", {variable}});
  if (tensor.dtype() == DType::kFloat16) {
    made.type = "cast";
    made.attributes.set("in_dtype", int64_t{4});
    made.attributes.set("out_dtype", int64_t{5});
    made.outputs.push_back({"Out", {}});
    return made;
  }
  const bool is_int8 = tensor.dtype() == DType::kInt8;
  if (!is_int8 && tensor.dtype() != DType::kInt16) return std::nullopt;
  std::optional<Scales> scales = scales_of(op, slot, variable, tensor.shape());
  if (!scales) return std::nullopt;  // integers of the model itself
  constexpr int64_t kInt16Limit = 32767;
  for (double& s : scales->values) s *= static_cast<double>(is_int8 ? kInt8Limit : kInt16Limit);
  made.type = "dequantize_linear";
  made.attributes.set("quant_axis", int64_t{scales->axis});
  made.attributes.set("bit_length", int64_t{is_int8 ? 8 : 16});
  made.inputs.push_back({"Scale", {add(text(variable, "@scale"), scales->values)}});
  made.outputs.push_back({"Y", {}});
  return made;
}

std::string_view SmallParameters::add(std::string name, const Floats& values) {
  const std::vector<float> floats(values.begin(), values.end());
  const auto is_same = [&](const Tensor& there) {
    return there.dtype() == DType::kFloat32 &&
           std::equal(floats.begin(), floats.end(), there.data<float>(), there.data<float>() + there.count());
  };
  auto there = model_.parameters.find(name);
  while (there != model_.parameters.end() && !is_same(there->second)) {
    name = text(name, "_", ++renamed_);
    there = model_.parameters.find(name);
  }
  if (there != model_.parameters.end()) return there->first;
  const auto count = static_cast<int64_t>(floats.size());
  there = model_.parameters.emplace(std::move(name), Tensor::of<float>(Shape{count}, floats)).first;
  Variable v;
  v.name = there->first;
  v.described = true;
  v.dtype = DType::kFloat32;
  v.dims = {count};
  v.persistable = true;
  model_.program.blocks.front().variables.push_back(std::move(v));
  return there->first;
}

}  // namespace coracle::internal::paddle_lite
