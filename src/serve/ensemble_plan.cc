// SPDX-License-Identifier: Apache-2.0
#include "serve/ensemble_plan.h"

#include <utility>

#include "serve/failure.h"

namespace coracle::serve {
namespace {

/// Makes the plan of one configuration.
class Planner {
 public:
  explicit Planner(const ModelConfig& config) : config_(config) { plan_.name = config.name; }

  EnsemblePlan plan() {
    check_fields();
    for (const TensorConfig& input : config_.inputs) {
      if (numbers_.contains(input.name)) refuse("has the input '" + input.name + "' twice");
      number(input.name);
    }
    for (const EnsembleStep& step : config_.ensemble) add(step);
    for (const TensorConfig& output : config_.outputs) add_output(output.name);
    for (size_t tensor = 0; tensor < plan_.tensors.size(); ++tensor) check_use(tensor);
    check_order();
    return std::move(plan_);
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw Failure(Code::kInvalidArgument, "ensemble '" + config_.name + "' " + what);
  }

  void check_fields() const {
    if (config_.ensemble.empty()) refuse("has no ensemble_scheduling, which says what its steps are");
    if (config_.inputs.empty()) refuse("has no input");
    if (config_.outputs.empty()) refuse("has no output");
    if (config_.dynamic_batching) refuse("has dynamic_batching, which belongs to the models of its steps");
    if (config_.instances != 0) refuse("has an instance_group, which belongs to the models of its steps");
  }

  size_t number(const std::string& tensor) {
    const auto [entry, is_new] = numbers_.emplace(tensor, plan_.tensors.size());
    if (is_new) {
      plan_.tensors.push_back(tensor);
      plan_.source.emplace_back();
      plan_.users.emplace_back();
    }
    return entry->second;
  }

  bool is_input(size_t tensor) const { return tensor < config_.inputs.size(); }

  void add(const EnsembleStep& step) {
    const size_t index = plan_.steps.size();
    EnsemblePlan::Step& added = plan_.steps.emplace_back();
    added.model = step.model;
    added.version = step.version;
    for (const auto& [input, name] : step.inputs) {
      const size_t tensor = number(name);
      added.inputs[input] = tensor;
      plan_.users[tensor].push_back(index);
    }
    for (const auto& [output, name] : step.outputs) {
      const size_t tensor = number(name);
      added.outputs[output] = tensor;
      if (is_input(tensor))
        refuse("has the input '" + name + "', which is also an output of " + plan_.step_name(index));
      if (plan_.source[tensor].has_value()) {
        refuse("has the tensor '" + name + "' twice: from " + plan_.step_name(*plan_.source[tensor]) + " and from " +
               plan_.step_name(index));
      }
      plan_.source[tensor] = index;
    }
  }

  void add_output(const std::string& name) {
    const auto known = numbers_.find(name);
    if (known == numbers_.end() || !plan_.source[known->second].has_value())
      refuse("has the output '" + name + "', which is in no step's output_map");
    for (const size_t output : plan_.outputs) {
      if (output == known->second) refuse("has the output '" + name + "' twice");
    }
    plan_.outputs.push_back(known->second);
  }

  void check_use(size_t tensor) const {
    const std::string& name = plan_.tensors[tensor];
    if (!is_input(tensor) && !plan_.source[tensor].has_value()) {
      refuse("has no source of the tensor '" + name + "', which " + plan_.step_name(plan_.users[tensor].front()) +
             " takes: it is neither an input nor in a step's output_map");
    }
    bool used = !plan_.users[tensor].empty();
    for (const size_t output : plan_.outputs) used |= output == tensor;
    if (used) return;
    refuse(is_input(tensor) ? "has the input '" + name + "', which is in no step's input_map"
                            : "has the tensor '" + name + "' of " + plan_.step_name(*plan_.source[tensor]) +
                                  ", which nobody uses; take it out of the output_map");
  }

  /// Runs the steps on paper, each as soon as it can.
  void check_order() const {
    std::vector<bool> done(plan_.steps.size());
    for (bool more = true; more;) {
      more = false;
      for (size_t step = 0; step < plan_.steps.size(); ++step) {
        bool can_run = !done[step];
        for (const auto& [input, tensor] : plan_.steps[step].inputs)
          can_run = can_run && (is_input(tensor) || done[*plan_.source[tensor]]);
        if (!can_run) continue;
        more = done[step] = true;
      }
    }
    std::string names;
    for (size_t step = 0; step < plan_.steps.size(); ++step) {
      if (!done[step]) names += (names.empty() ? "" : ", ") + plan_.step_name(step);
    }
    if (!names.empty()) refuse("has steps that wait for each other's tensors: " + names);
  }

  const ModelConfig& config_;
  EnsemblePlan plan_;
  std::map<std::string, size_t> numbers_;
};

}  // namespace

std::string EnsemblePlan::step_name(size_t step) const {
  return "step " + std::to_string(step + 1) + " (model '" + steps[step].model + "')";
}

EnsemblePlan plan_of(const ModelConfig& config) { return Planner(config).plan(); }

}  // namespace coracle::serve
