// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace coracle_xnnpack {
namespace {

constexpr size_t kRoom = XNN_EXTRA_BYTES / sizeof(float);

}  // namespace

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
  values_.push_back(std::move(value));
  return static_cast<ValueNumber>(values_.size()) - 1;
}

const float* Program::keep(std::vector<float> elements) {
  elements.resize(elements.size() + kRoom, 0.0F);
  bytes_ += elements.size() * sizeof(float);
  return kept_.emplace_back(std::move(elements)).data();
}

int Program::level_of(ValueNumber v, bool copy) const {
  if (v == kNoValue) return 0;
  const int producer = value(v).producer;
  const int level = producer < 0 ? 0 : steps_[static_cast<size_t>(producer)].level;
  const bool copied = level % 2 == 1;
  if (copy) return copied ? level : level + 1;
  return copied ? level + 1 : level;
}

void Program::define(std::vector<ValueNumber> operands, ValueNumber result, Step::Define define,
                     const std::string& name) {
  Step step;
  for (ValueNumber v : operands) step.level = std::max(step.level, level_of(v, /*copy=*/false));
  step.values = std::move(operands);
  step.values.push_back(result);
  step.define = std::move(define);
  step.name = name;
  values_[static_cast<size_t>(result)].producer = static_cast<int>(steps_.size());
  steps_.push_back(std::move(step));
}

void Program::copy(ValueNumber from, ValueNumber to, StridedCopy copy) {
  Step step;
  step.level = level_of(from, /*copy=*/true);
  step.values = {from, to};
  step.copy = std::move(copy);
  step.copy.simplify();
  // Several copies may make one value: it is there after the last of them.
  Value& result = values_[static_cast<size_t>(to)];
  if (result.producer >= 0) {
    step.level = std::max(step.level, steps_[static_cast<size_t>(result.producer)].level);
  }
  result.producer = static_cast<int>(steps_.size());
  steps_.push_back(std::move(step));
}

void Program::add_output(ValueNumber v, int output) {
  Value& found = values_[static_cast<size_t>(v)];
  const bool computed = found.producer >= 0 && steps_[static_cast<size_t>(found.producer)].define != nullptr;
  if (computed && !found.channels_last() && found.output < 0) {
    found.output = output;
    return;
  }
  Value memory;
  memory.dims = found.dims;
  memory.rows = true;
  memory.output = output;
  const ValueNumber to = add(memory);
  copy(v, to, whole_copy(value(v), value(to)));
}

void Program::finish() {
  // What nobody reads is left out: XNNPACK would have no memory for it.
  std::vector<bool> needed(values_.size(), false);
  for (size_t v = 0; v < values_.size(); ++v) needed[v] = values_[v].output >= 0;
  for (size_t i = steps_.size(); i-- > 0;) {
    Step& step = steps_[i];
    if (!needed[static_cast<size_t>(step.values.back())]) {
      step.level = kNoLevel;
      continue;
    }
    for (ValueNumber v : step.values) {
      if (v != kNoValue) needed[static_cast<size_t>(v)] = true;
    }
  }
  for (const Step& step : steps_) {
    if (step.level == kNoLevel) continue;
    levels_ = std::max(levels_, step.level + 1);
    const bool copies = step.define == nullptr;
    for (size_t i = 0; i + 1 < step.values.size(); ++i) {
      if (step.values[i] == kNoValue) continue;
      Value& operand = values_[static_cast<size_t>(step.values[i])];
      if (operand.producer < 0) continue;
      const int made = steps_[static_cast<size_t>(operand.producer)].level;
      if (copies || made != step.level) operand.kept = true;
    }
    if (copies) values_[static_cast<size_t>(step.values.back())].kept = true;
  }
}

ProgramRun::ProgramRun(const Program& program, int threads) : program_(program) {
  try {
    if (threads > 1) {
      pool_ = pthreadpool_create(static_cast<size_t>(threads));
      require(pool_ != nullptr, "no threads could be started");
    }
    for (const Value& v : program.values()) {
      memory_.push_back(const_cast<float*>(v.constant));  // only read: nothing writes a constant
      if (v.kept && v.constant == nullptr && v.input < 0 && v.output < 0) {
        memory_.back() = buffers_.emplace_back(static_cast<size_t>(count_of(v.dims)) + kRoom).data();
      }
    }
    runtimes_.resize(static_cast<size_t>(program.levels() / 2 + 1));
    for (int level = 0; level < program.levels(); level += 2) build(level);
  } catch (...) {
    release();
    throw;
  }
}

ProgramRun::~ProgramRun() { release(); }

void ProgramRun::release() {
  for (Runtime& r : runtimes_) {
    if (r.runtime != nullptr) xnn_delete_runtime(r.runtime);
  }
  if (pool_ != nullptr) pthreadpool_destroy(pool_);
}

void ProgramRun::build(int level) {
  Runtime& runtime = runtimes_[static_cast<size_t>(level / 2)];
  const std::vector<Step>& steps = program_.steps();
  // The values of the level, and which of them come from outside or are read there.
  std::vector<uint32_t> ids(program_.values().size(), XNN_INVALID_VALUE_ID);
  std::vector<std::pair<ValueNumber, uint32_t>> external;
  std::vector<bool> seen(program_.values().size(), false);
  std::vector<ValueNumber> order;
  for (const Step& step : steps) {
    if (step.level != level) continue;
    for (ValueNumber v : step.values) {
      const auto i = static_cast<size_t>(v);
      if (v == kNoValue || seen[i]) continue;
      seen[i] = true;
      order.push_back(v);
      const Value& value = program_.value(v);
      const bool made_here = value.producer >= 0 && steps[static_cast<size_t>(value.producer)].level == level;
      if (value.constant != nullptr) continue;
      if (!made_here) external.emplace_back(v, XNN_VALUE_FLAG_EXTERNAL_INPUT);
      if (made_here && (value.kept || value.output >= 0)) external.emplace_back(v, XNN_VALUE_FLAG_EXTERNAL_OUTPUT);
    }
  }
  if (order.empty()) return;
  xnn_subgraph_t subgraph = nullptr;
  xnn_status status = xnn_create_subgraph(static_cast<uint32_t>(external.size()), 0, &subgraph);
  require(status == xnn_status_success, std::string("xnn_create_subgraph: ") + name_of(status));
  const std::unique_ptr<xnn_subgraph, xnn_status (*)(xnn_subgraph_t)> owner(subgraph, &xnn_delete_subgraph);
  for (ValueNumber v : order) {
    const Value& value = program_.value(v);
    const auto found = std::find_if(external.begin(), external.end(), [&](const auto& e) { return e.first == v; });
    const std::vector<size_t> sizes = value.stored();
    uint32_t number = XNN_INVALID_VALUE_ID;
    uint32_t flags = 0;
    if (found != external.end()) {
      number = static_cast<uint32_t>(found - external.begin());
      flags = found->second;
      runtime.external.push_back({number, nullptr});
      runtime.values.push_back(v);
    }
    status = xnn_define_tensor_value(subgraph, xnn_datatype_fp32, sizes.size(), sizes.data(), value.constant, number,
                                     flags, &ids[static_cast<size_t>(v)]);
    require(status == xnn_status_success, std::string("xnn_define_tensor_value: ") + name_of(status));
  }
  std::vector<uint32_t> of_step;
  for (const Step& step : steps) {
    if (step.level != level) continue;
    of_step.clear();
    for (ValueNumber v : step.values)
      of_step.push_back(v == kNoValue ? XNN_INVALID_VALUE_ID : ids[static_cast<size_t>(v)]);
    status = step.define(subgraph, of_step.data());
    require(status == xnn_status_success, step.name + ": XNNPACK refuses it with " + name_of(status));
  }
  status = xnn_create_runtime_v2(subgraph, pool_, 0, &runtime.runtime);
  if (status == xnn_status_success) return;
  std::string names;
  for (const Step& step : steps) {
    if (step.level == level && names.size() < 200) names.append(names.empty() ? "" : ", ").append(step.name);
  }
  throw Refused(std::string("XNNPACK refuses the runtime with ") + name_of(status) + ", of " + names);
}

void ProgramRun::run(const void* const* inputs, void* const* outputs) {
  const std::deque<Value>& values = program_.values();
  for (size_t v = 0; v < values.size(); ++v) {
    if (values[v].input >= 0) memory_[v] = static_cast<float*>(const_cast<void*>(inputs[values[v].input]));
    if (values[v].output >= 0) memory_[v] = static_cast<float*>(outputs[values[v].output]);
  }
  for (int level = 0; level < program_.levels(); ++level) {
    if (level % 2 == 1) {
      for (const Step& step : program_.steps()) {
        if (step.level != level) continue;
        step.copy.run(memory_[static_cast<size_t>(step.values[0])], memory_[static_cast<size_t>(step.values[1])],
                      pool_);
      }
      continue;
    }
    Runtime& r = runtimes_[static_cast<size_t>(level / 2)];
    if (r.runtime == nullptr) continue;
    bool moved = !r.set_up;
    for (size_t i = 0; i < r.values.size(); ++i) {
      void* now = memory_[static_cast<size_t>(r.values[i])];
      moved = moved || r.external[i].data != now;
      r.external[i].data = now;
    }
    xnn_status status = xnn_status_success;
    if (moved) status = xnn_setup_runtime(r.runtime, r.external.size(), r.external.data());
    require(status == xnn_status_success, std::string("xnn_setup_runtime: ") + name_of(status));
    r.set_up = true;
    status = xnn_invoke_runtime(r.runtime);
    require(status == xnn_status_success, std::string("xnn_invoke_runtime: ") + name_of(status));
  }
}

}  // namespace coracle_xnnpack
