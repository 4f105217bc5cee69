// SPDX-License-Identifier: Apache-2.0
#include "cli/quantize/layers.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "cli/failure.h"
#include "cli/text.h"

namespace coracle::cli {
namespace {

/// Operators whose operands are numbers of a parameter and of x.
struct Kind {
  const char* type;
  const char* x;
  const char* weights;
  const char* result;
  bool convolution;
};
constexpr Kind kKinds[] = {
    {"conv2d", "Input", "Filter", "Output", true},
    {"depthwise_conv2d", "Input", "Filter", "Output", true},
    {"mul", "X", "Y", "Out", false},
    {"matmul", "X", "Y", "Out", false},
    {"matmul_v2", "X", "Y", "Out", false},
};

/// Operators that leave elements as they are; runs show what they read.
constexpr const char* kViews[] = {"assign",    "flatten",   "flatten2", "flatten_contiguous_range",
                                  "reshape",   "reshape2",  "squeeze",  "squeeze2",
                                  "unsqueeze", "unsqueeze2"};

class Finder {
 public:
  Finder(const Program& program, const ParameterMap& parameters) : program_(program), parameters_(parameters) {
    for (const ProgramOperator& o : program.operators) {
      for (const auto& [slot, names] : o.inputs) {
        for (const std::string& name : names) ++readers_[name];
      }
    }
    for (const std::string& name : program.read_by_others) readers_[name] += 2;  // of what is not looked at
  }

  std::vector<Layer> find() {
    std::vector<Layer> layers;
    for (size_t i = 0; i < program_.operators.size(); ++i) {
      const ProgramOperator& o = program_.operators[i];
      for (const Kind& kind : kKinds) {
        if (o.type == kind.type && parameters_.count(o.input(kind.weights)) != 0) layers.push_back(layer(i, o, kind));
      }
      const WrittenValue operand = latest(o.input("X"));
      for (const auto& [slot, names] : o.outputs) {
        // What feeds an input is no operator of the model.
        for (const std::string& name : names) writes_[name] += o.type == "feed" ? 0 : 1;
      }
      if (std::find(std::begin(kViews), std::end(kViews), o.type) != std::end(kViews)) {
        views_[latest(o.output("Out"))] = seen(operand);
      }
    }
    return layers;
  }

 private:
  Layer layer(size_t index, const ProgramOperator& o, const Kind& kind) {
    Layer l;
    l.index = index;
    l.type = o.type;
    l.name = o.output(kind.result);
    l.x_slot = kind.x;
    l.x = latest(o.input(kind.x));
    l.seen = seen(l.x);
    l.weights_slot = kind.weights;
    l.weights = o.input(kind.weights);
    l.kept = kind.convolution ? place_convolution(o, l) : place_product(o, l);
    if (l.kept.empty()) l.kept = unfit(l);
    if (l.kept.empty()) l.correction = correction(index, l, kind.convolution);
    return l;
  }

  /// What an operator reads in a variable.
  WrittenValue latest(const std::string& variable) const {
    const auto found = writes_.find(variable);
    return {variable, (found == writes_.end() ? 0 : found->second) - 1};
  }
  WrittenValue seen(const WrittenValue& value) const {
    const auto found = views_.find(value);
    return found == views_.end() ? value : found->second;
  }

  const Parameter& weights(const Layer& l) const { return parameters_.at(l.weights); }

  std::string place_convolution(const ProgramOperator& o, Layer& l) const {
    const std::vector<int64_t>& dims = weights(l).dims;
    if (dims.size() != 4) return "its weights have not four dimensions";
    const int64_t groups = o.integer("groups", 1);
    l.axis = 0;
    if (groups < 1 || dims[0] % groups != 0) return "its groups do not fit its weights";
    if (groups != 1 && dims[1] != 1) return "it has groups of several channels";
    if (groups != 1) l.multiplier = dims[0] / groups;
    const auto format = o.texts.find("data_format");
    l.x_channels = format == o.texts.end() || format->second != "NHWC" ? 1 : 3;
    return {};
  }

  std::string place_product(const ProgramOperator& o, Layer& l) const {
    if (weights(l).dims.size() != 2) return "its weights are no matrix";
    if (o.integer("trans_x", 0) != 0 || o.integer("transpose_X", 0) != 0) return "its operand is transposed";
    if (o.integer("y_num_col_dims", 1) != 1) return "its weights are no matrix";
    l.axis = o.integer("trans_y", 0) != 0 || o.integer("transpose_Y", 0) != 0 ? 0 : 1;
    l.x_channels = -1;
    return {};
  }

  std::string unfit(const Layer& l) const {
    const Parameter& w = weights(l);
    if (w.dtype != static_cast<int64_t>(VarDtype::kFloat32)) return "its weights are not float32";
    if (w.content.empty()) return "its weights are empty";
    if (readers_.at(l.weights) != 1) return "several operators read its weights";
    if (l.x.variable.empty() || parameters_.count(l.x.variable) != 0) return "both operands are constants";
    const ProgramVariable* x = program_.find(l.x.variable);
    if (x == nullptr || x->dtype != static_cast<int64_t>(VarDtype::kFloat32)) return "its operand is not float32";
    return {};
  }

  bool read_once(const std::string& name) const {
    const auto found = readers_.find(name);
    return found != readers_.end() && found->second == 1;
  }

  Correction correction(size_t index, const Layer& l, bool convolution) const {
    if (!read_once(l.name)) return {};
    const int64_t channels = weights(l).dims[static_cast<size_t>(l.axis)];
    const auto fits = [&](const std::string& name) {
      const auto found = parameters_.find(name);
      return found != parameters_.end() && read_once(name) &&
             found->second.dtype == static_cast<int64_t>(VarDtype::kFloat32) &&
             found->second.content.size() == static_cast<size_t>(channels) * sizeof(float);
    };
    for (size_t i = index + 1; i < program_.operators.size(); ++i) {
      const ProgramOperator& o = program_.operators[i];
      if (o.input("X") != l.name) continue;
      if (convolution && o.type == "batch_norm" && fits(o.input("Mean"))) return {o.input("Mean"), 1};
      if (o.type == "elementwise_add" && fits(o.input("Y"))) return {o.input("Y"), -1};
      return {};
    }
    return {};
  }

  const Program& program_;
  const ParameterMap& parameters_;
  std::map<std::string, int> readers_;
  std::map<std::string, int> writes_;
  std::map<WrittenValue, WrittenValue> views_;
};

}  // namespace

std::vector<Layer> find_layers(const Program& program, const ParameterMap& parameters,
                               const std::vector<std::string>& keep) {
  std::vector<Layer> layers = Finder(program, parameters).find();
  for (const std::string& name : keep) {
    bool found = false;
    for (Layer& l : layers) {
      if (l.name != name && l.weights != name) continue;
      l.kept = "--keep names it";
      found = true;
    }
    if (found) continue;
    throw Failure(ExitCode::kUsage,
                  fmt::format("--keep {}: no product or convolution with constant weights has a result or weights of "
                              "that name; the first of {} results is {}",
                              printable(name), layers.size(), layers.empty() ? "none" : printable(layers[0].name)));
  }
  return layers;
}

}  // namespace coracle::cli
