// SPDX-License-Identifier: Apache-2.0
#include "serve/ensemble_steps.h"

#include <map>
#include <optional>
#include <string>

#include "client/element.h"

namespace coracle::serve {
namespace {

using Infos = std::vector<coracle::TensorInfo>;

[[noreturn]] void refuse_steps(const EnsemblePlan& plan, const std::string& what) {
  throw Failure(Code::kInvalidArgument, "ensemble '" + plan.name + "': " + what);
}

std::optional<size_t> index_in(const Infos& infos, const std::string& name) {
  for (size_t i = 0; i < infos.size(); ++i) {
    if (infos[i].name == name) return i;
  }
  return std::nullopt;
}

/// Where a model has the tensors that a map of a step names.
std::vector<std::pair<size_t, size_t>> mapped(const EnsemblePlan& plan, size_t step, const Infos& infos,
                                              const std::map<std::string, size_t>& map, const char* kind) {
  std::vector<std::pair<size_t, size_t>> tensors;
  for (const auto& [name, tensor] : map) {
    const std::optional<size_t> place = index_in(infos, name);
    if (!place.has_value()) {
      std::string names;
      for (const coracle::TensorInfo& info : infos) names += (names.empty() ? "'" : ", '") + info.name + "'";
      refuse_steps(plan, plan.step_name(step) + " names the " + kind + " '" + name + "'; the model has " + names);
    }
    tensors.emplace_back(*place, tensor);
  }
  return tensors;
}

/// What is known of a tensor, and from whom.
struct Known {
  coracle::TensorInfo info;
  std::string from;
};

void check_same(const EnsemblePlan& plan, size_t tensor, const Known& source, const Known& user) {
  const coracle::TensorInfo& a = source.info;
  const coracle::TensorInfo& b = user.info;
  const std::string where = "the tensor '" + plan.tensors[tensor] + "' is ";
  if (a.dtype != b.dtype) {
    refuse_steps(plan, where + client::datatype_of(a.dtype) + " in " + source.from + ", " +
                           client::datatype_of(b.dtype) + " in " + user.from);
  }
  if (!a.rank_known || !b.rank_known) return;
  bool fits = a.dims.size() == b.dims.size();
  for (size_t d = 0; fits && d < a.dims.size(); ++d) fits = a.dims[d] < 0 || b.dims[d] < 0 || a.dims[d] == b.dims[d];
  if (fits) return;
  refuse_steps(plan, where + shape_text(a.dims) + " in " + source.from + ", " + shape_text(b.dims) + " in " +
                         user.from + ", with the batch");
}

}  // namespace

std::vector<OpenStep> open_steps(const EnsemblePlan& plan, const FindModel& find) {
  std::vector<OpenStep> steps;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const EnsemblePlan::Step& step = plan.steps[i];
    OpenStep& open = steps.emplace_back();
    open.model = find(step.model, step.version);
    const Infos& infos = open.model->inputs();
    open.inputs.resize(infos.size());
    for (const auto& [place, tensor] : mapped(plan, i, infos, step.inputs, "input")) open.inputs[place] = tensor;
    for (const coracle::TensorInfo& info : infos) {
      if (!step.inputs.contains(info.name))
        refuse_steps(plan, plan.step_name(i) + " has no input_map for the model's input '" + info.name + "'");
    }
    open.outputs = mapped(plan, i, open.model->outputs(), step.outputs, "output");
  }
  return steps;
}

void check_steps(const EnsemblePlan& plan, const std::vector<OpenStep>& steps, const Infos& inputs,
                 const Infos& outputs, int64_t max_batch_size) {
  std::vector<Known> sources(plan.tensors.size());
  for (size_t i = 0; i < inputs.size(); ++i) sources[i] = {inputs[i], "the ensemble's inputs"};
  for (size_t i = 0; i < steps.size(); ++i) {
    const ServedModel& model = *steps[i].model;
    for (const auto& [place, tensor] : steps[i].outputs)
      sources[tensor] = {model.outputs()[place], "the outputs of " + plan.step_name(i)};
    if (max_batch_size > 0 && model.most_rows() > 0 && model.most_rows() < max_batch_size) {
      refuse_steps(plan, "max_batch_size is " + std::to_string(max_batch_size) + ", that of " + plan.step_name(i) +
                             " only " + std::to_string(model.most_rows()));
    }
  }
  for (size_t i = 0; i < steps.size(); ++i) {
    const Infos& infos = steps[i].model->inputs();
    for (size_t place = 0; place < infos.size(); ++place) {
      const size_t tensor = steps[i].inputs[place];
      check_same(plan, tensor, sources[tensor], {infos[place], "the inputs of " + plan.step_name(i)});
    }
  }
  for (size_t i = 0; i < outputs.size(); ++i)
    check_same(plan, plan.outputs[i], sources[plan.outputs[i]], {outputs[i], "the ensemble's outputs"});
}

}  // namespace coracle::serve
