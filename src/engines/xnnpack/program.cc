// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <algorithm>
#include <utility>

namespace coracle_xnnpack {

const char* name_of(xnn_status status) {
  switch (status) {
    case xnn_status_success: return "xnn_status_success";
    case xnn_status_uninitialized: return "xnn_status_uninitialized";
    case xnn_status_invalid_parameter: return "xnn_status_invalid_parameter";
    case xnn_status_invalid_state: return "xnn_status_invalid_state";
    case xnn_status_unsupported_parameter: return "xnn_status_unsupported_parameter";
    case xnn_status_unsupported_hardware: return "xnn_status_unsupported_hardware";
    case xnn_status_out_of_memory: return "xnn_status_out_of_memory";
  }
  return "a status that it does not name";
}

std::vector<size_t> Value::stored() const {
  if (dims.empty()) return {1};  // XNNPACK has no scalars
  std::vector<size_t> sizes(dims.begin(), dims.end());
  if (channels_last()) std::rotate(sizes.begin() + 1, sizes.begin() + 2, sizes.end());
  return sizes;
}

Dims Value::strides() const {
  if (channels_last()) return {dims[1] * dims[2] * dims[3], 1, dims[3] * dims[1], dims[1]};
  Dims strides(dims.size());
  int64_t step = 1;
  for (size_t d = dims.size(); d-- > 0;) {
    strides[d] = step;
    step *= dims[d];
  }
  return strides;
}

StridedCopy whole_copy(const Value& from, const Value& to, const Dims& order) {
  const Dims read = from.strides();
  const Dims write = to.strides();
  StridedCopy copy;
  for (size_t d = 0; d < to.dims.size(); ++d) {
    copy.axes.push_back({to.dims[d], read[order.empty() ? d : static_cast<size_t>(order[d])], write[d]});
  }
  return copy;
}

ValueNumber Program::add(Value value) {
  if (value.same != kNoValue) value.same = root(value.same);
  values_.push_back(std::move(value));
  return static_cast<ValueNumber>(values_.size()) - 1;
}

const float* Program::keep(std::vector<float> elements) {
  bytes_ += elements.size() * sizeof(float);
  return kept_.emplace_back(std::move(elements)).data();
}

void Program::define(std::vector<ValueNumber> operands, ValueNumber result, Recipe recipe, const std::string& name) {
  Step step;
  step.values = std::move(operands);
  step.values.push_back(result);
  step.recipe = std::move(recipe);
  step.name = name;
  values_[static_cast<size_t>(result)].producer = static_cast<int>(steps_.size());
  steps_.push_back(std::move(step));
}

void Program::copy(ValueNumber from, ValueNumber to, StridedCopy copy) {
  Step step;
  step.values = {from, to};
  step.copy = std::move(copy);
  step.copy.element_bytes = bytes_of(value(from).element);
  step.copy.simplify();
  values_[static_cast<size_t>(to)].producer = static_cast<int>(steps_.size());
  steps_.push_back(std::move(step));
}

void Program::add_output(ValueNumber v, int output) {
  Value& found = values_[static_cast<size_t>(root(v))];
  const bool computed = found.producer >= 0 && !steps_[static_cast<size_t>(found.producer)].copies();
  if (computed && !value(v).channels_last() && found.output < 0) {
    found.output = output;
    return;
  }
  Value memory;
  memory.dims = value(v).dims;
  memory.rows = true;
  memory.element = value(v).element;
  memory.output = output;
  const ValueNumber to = add(memory);
  copy(v, to, whole_copy(value(v), value(to)));
}

}  // namespace coracle_xnnpack
