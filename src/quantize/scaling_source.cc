// SPDX-License-Identifier: Apache-2.0
#include "quantize/scaling_source.h"

#include <algorithm>

namespace coracle::internal::quantize {
namespace {

/// f(s x) = s f(x) for s > 0, for each channel alone; their operand is X.
constexpr const char* kHomogeneous[] = {"relu",
                                        "leaky_relu",
                                        "prelu",
                                        "pool2d",
                                        "assign",
                                        "dropout",
                                        "nearest_interp",
                                        "nearest_interp_v2",
                                        "bilinear_interp",
                                        "bilinear_interp_v2"};
constexpr const char* kShaping[] = {"reshape", "reshape2", "unsqueeze", "unsqueeze2"};

bool is_one_of(const std::string& type, const char* const* first, const char* const* last) {
  return std::find(first, last, type) != last;
}

int64_t count_of(const std::vector<int64_t>& dims) {
  int64_t count = 1;
  for (int64_t d : dims) count *= d;
  return count;
}

bool is_nhwc(const ProgramOperator& norm) {
  for (const char* name : {"data_layout", "data_format"}) {
    if (const std::string* given = norm.text(name)) return *given == "NHWC";
  }
  return false;
}

bool reads(const ProgramOperator& o, const char* slot) {
  const auto found = o.inputs.find(slot);
  return found != o.inputs.end() && !found->second.empty();
}

}  // namespace

ScalingSources::ScalingSources(const Program& program, const ParameterMap& parameters, const std::vector<Layer>& layers)
    : program_(program), parameters_(parameters) {
  for (const Layer& l : layers) layers_[l.index] = &l;
  for (const std::string& name : program.read_by_others) readers_[name] += 2;  // of what is not looked at
  for (size_t i = 0; i < program.operators.size(); ++i) {
    const ProgramOperator& o = program.operators[i];
    for (const auto& [slot, names] : o.inputs) {
      for (const std::string& name : names) ++readers_[name];
    }
    for (const auto& [slot, names] : o.outputs) {
      for (const std::string& name : names) {
        ++writes_[name];
        producers_[name] = i;
      }
    }
  }
  for (const ProgramOperator& o : program.operators) {
    const std::string x = o.input("X");
    const bool shapes = is_one_of(o.type, std::begin(kShaping), std::end(kShaping));
    if (shapes && parameters.count(x) != 0 && readers_of(x) == 1) shaped_[o.output("Out")] = x;
  }
}

std::optional<ScalingSource> ScalingSources::of(const std::string& variable, int channels, int64_t count,
                                                int readers) const {
  const auto rank = static_cast<int>(rank_of(variable));
  const int at = channels < 0 ? rank - 1 : channels;
  ScalingSource source;
  if (at < 0 || at >= rank || !follow(variable, static_cast<size_t>(at), count, readers, source)) return std::nullopt;
  return source;
}

bool ScalingSources::follow(const std::string& variable, size_t channels, int64_t count, int readers,
                            ScalingSource& to) const {
  const auto producer = producers_.find(variable);
  if (producer == producers_.end() || writes_.at(variable) != 1 || readers_of(variable) != readers) return false;
  const ProgramOperator& o = program_.operators[producer->second];
  to.type = o.type;
  if (layers_.count(producer->second) != 0) return take_layer(producer->second, channels, count, to);
  if (o.type == "elementwise_add") return o.output("Out") == variable && follow_sum(o, channels, count, to);
  if (o.type == "elementwise_mul" || o.type == "multiply") return follow_product(o, channels, count, to);
  if (is_one_of(o.type, std::begin(kHomogeneous), std::end(kHomogeneous))) {
    const std::string x = o.input("X");
    return o.output("Out") == variable && rank_of(x) == rank_of(variable) && follow(x, channels, count, 1, to);
  }
  return (o.output("Y") == variable || o.output("out") == variable) && take_norm(o, channels, count, to);
}

bool ScalingSources::follow_sum(const ProgramOperator& o, size_t channels, int64_t count, ScalingSource& to) const {
  const std::string x = o.input("X");
  const std::string y = o.input("Y");
  if (rank_of(x) != rank_of(o.output("Out"))) return false;
  return is_along(o, y, channels, count) && take(y, count, to) && follow(x, channels, count, 1, to);
}

bool ScalingSources::follow_product(const ProgramOperator& o, size_t channels, int64_t count, ScalingSource& to) const {
  const std::string x = o.input("X");
  const std::string y = o.input("Y");
  if (is_along(o, y, channels, count)) return take(y, count, to);
  if (is_along(o, x, channels, count)) return take(x, count, to);
  // One factor is enough; the other may have any shape, or be anything.
  for (const std::string& factor : {x, y}) {
    const ProgramVariable* v = program_.find(factor);
    if (v == nullptr || v->dims.size() != rank_of(o.output("Out")) || v->dims[channels] != count) continue;
    ScalingSource there = to;
    if (!follow(factor, channels, count, 1, there)) continue;
    to = there;
    return true;
  }
  return false;
}

bool ScalingSources::take(const std::string& variable, int64_t count, ScalingSource& to) const {
  const std::string name = parameter_of(variable);
  const auto found = parameters_.find(name);
  if (found == parameters_.end() || readers_of(variable) != 1 || readers_of(name) != 1) return false;
  if (found->second.dtype != DType::kFloat32) return false;
  if (count_of(found->second.dims) != count) return false;
  to.divided.push_back({name, -1});
  return true;
}

bool ScalingSources::take_norm(const ProgramOperator& o, size_t channels, int64_t count, ScalingSource& to) const {
  const size_t last = std::max<size_t>(rank_of(o.type == "rms_norm" ? o.input("x") : o.input("X")), 1) - 1;
  const char* scale = "Scale";
  const char* bias = "Bias";
  if (o.type == "batch_norm") {
    if (channels != (is_nhwc(o) ? last : 1)) return false;
  } else if (o.type == "layer_norm" || o.type == "rms_norm") {
    // Scales are those of the last dimension.
    if (channels != last || o.integer("begin_norm_axis", 1) != static_cast<int64_t>(last)) return false;
    if (o.type == "rms_norm") scale = "norm_weight";
    if (o.type == "rms_norm") bias = "norm_bias";
  } else {
    return false;
  }
  if (!take(o.input(scale), count, to)) return false;
  return !reads(o, bias) || take(o.input(bias), count, to);
}

bool ScalingSources::take_layer(size_t index, size_t channels, int64_t count, ScalingSource& to) const {
  const Layer& l = *layers_.at(index);
  if (!l.kept.empty() || reads(program_.operators[index], "Bias")) return false;
  const size_t rank = rank_of(l.name);
  const size_t of_result = l.x_channels < 0 ? rank - 1 : static_cast<size_t>(l.x_channels);
  const std::vector<int64_t>& dims = parameters_.at(l.weights).dims;
  if (rank == 0 || channels != of_result || dims[static_cast<size_t>(l.axis)] != count) return false;
  to.divided.push_back({l.weights, l.axis});
  return true;
}

/// Whether a constant operand of a sum or product has its elements along the channels of the result.
bool ScalingSources::is_along(const ProgramOperator& o, const std::string& constant, size_t channels,
                              int64_t count) const {
  if (parameter_of(constant).empty()) return false;
  const ProgramVariable* v = program_.find(constant);
  const auto rank = static_cast<int64_t>(rank_of(o.output("Out")));
  const auto of_constant = static_cast<int64_t>(v == nullptr ? 0 : v->dims.size());
  if (of_constant == 0 || of_constant > rank) return false;
  const int64_t axis = o.integer("axis", -1);
  const int64_t at = static_cast<int64_t>(channels) - (axis < 0 ? rank - of_constant : axis);
  if (at < 0 || at >= of_constant) return false;
  return v->dims[static_cast<size_t>(at)] == count && count_of(v->dims) == count;
}

std::string ScalingSources::parameter_of(const std::string& variable) const {
  if (parameters_.count(variable) != 0) return variable;
  const auto found = shaped_.find(variable);
  return found == shaped_.end() ? std::string() : found->second;
}

int ScalingSources::readers_of(const std::string& name) const {
  const auto found = readers_.find(name);
  return found == readers_.end() ? 0 : found->second;
}

size_t ScalingSources::rank_of(const std::string& variable) const {
  const ProgramVariable* v = program_.find(variable);
  return v == nullptr ? 0 : v->dims.size();
}

}  // namespace coracle::internal::quantize
