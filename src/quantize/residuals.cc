// SPDX-License-Identifier: Apache-2.0
#include "quantize/residuals.h"

#include <map>
#include <optional>
#include <set>

namespace coracle::internal::quantize {
namespace {

class ResidualFinder {
 public:
  ResidualFinder(const Program& program, const ParameterMap& parameters, const std::vector<Layer>& layers)
      : program_(program) {
    for (const ProgramOperator& o : program.operators) {
      for (const auto& [slot, names] : o.inputs) {
        for (const std::string& name : names) ++readers_[name];
      }
    }
    for (const std::string& name : program.read_by_others) readers_[name] += 2;
    for (const auto& [name, parameter] : parameters) constants_.insert(name);
    for (size_t i = 0; i < layers.size(); ++i) {
      if (!layers[i].kept.empty() || layers[i].family == LayerFamily::kTable) continue;
      layer_at_[layers[i].index] = i;
      if (layers[i].rounds_operand) operands_.insert(layers[i].x);
    }
  }

  std::vector<Residual> find() {
    std::vector<Residual> residuals;
    for (size_t i = 0; i < program_.operators.size(); ++i) {
      const ProgramOperator& o = program_.operators[i];
      // Biases of PIR are brought into another shape.
      if (is_constant(o.input("X")) && o.type.starts_with("reshape")) constants_.insert(o.output("Out"));
      if (const auto residual = residual_of(i, o)) residuals.push_back(*residual);
      const std::optional<size_t> layer = layer_of_result(i, o);
      for (const auto& [slot, names] : o.outputs) {
        for (const std::string& name : names) writes_[name] += o.type == "feed" ? 0 : 1;
      }
      if (!layer) continue;
      for (const char* slot : {"Out", "Output", "Y"}) {
        if (const std::string name = o.output(slot); !name.empty()) made_by_[latest(name)] = *layer;
      }
    }
    return residuals;
  }

 private:
  WrittenValue latest(const std::string& variable) const {
    const auto found = writes_.find(variable);
    return {variable, (found == writes_.end() ? 0 : found->second) - 1};
  }

  bool is_constant(const std::string& variable) const { return constants_.count(variable) != 0; }

  /// The layer whose result, which nothing else reads, a variable is.
  std::optional<size_t> layer_of(const std::string& variable) const {
    const auto found = made_by_.find(latest(variable));
    const auto readers = readers_.find(variable);
    const bool alone = readers != readers_.end() && readers->second == 1;
    return alone && found != made_by_.end() ? std::optional(found->second) : std::nullopt;
  }

  /// The layer that an operator is, or whose bias or normalisation.
  std::optional<size_t> layer_of_result(size_t index, const ProgramOperator& o) const {
    const auto found = layer_at_.find(index);
    if (found != layer_at_.end()) return found->second;
    const bool bias = o.type == "elementwise_add" && is_constant(o.input("Y"));
    return bias || o.type == "batch_norm" ? layer_of(o.input("X")) : std::nullopt;
  }

  std::optional<Residual> residual_of(size_t index, const ProgramOperator& o) const {
    if (o.type != "elementwise_add") return std::nullopt;
    const std::string x = o.input("X");
    const std::string y = o.input("Y");
    const ProgramVariable* of_x = program_.find(x);
    const ProgramVariable* of_y = program_.find(y);
    if (x == y || of_x == nullptr || of_y == nullptr || of_x->dims != of_y->dims) return std::nullopt;
    for (const auto& [result, slot, other] : {std::tuple(x, "Y", y), std::tuple(y, "X", x)}) {
      const std::optional<size_t> layer = layer_of(result);
      if (layer && operands_.count(latest(other)) != 0) return Residual{index, slot, latest(other), *layer};
    }
    return std::nullopt;
  }

  const Program& program_;
  std::set<std::string> constants_;
  std::map<std::string, int> readers_;
  std::map<std::string, int> writes_;
  std::map<size_t, size_t> layer_at_;  ///< number of the layer that the operator is
  std::map<WrittenValue, size_t> made_by_;
  std::set<WrittenValue> operands_;  ///< that layers round
};

}  // namespace

std::vector<Residual> find_residuals(const Program& program, const ParameterMap& parameters,
                                     const std::vector<Layer>& layers) {
  return ResidualFinder(program, parameters, layers).find();
}

}  // namespace coracle::internal::quantize
