// SPDX-License-Identifier: Apache-2.0
#include "serve/ensemble.h"

#include <utility>

#include "serve/ensemble_run.h"
#include "serve/ensemble_steps.h"

namespace coracle::serve {
namespace {

/// What clients are told of tensors: with the batch in front.
std::vector<coracle::TensorInfo> infos_of(const std::vector<TensorConfig>& tensors, int64_t max_batch_size) {
  std::vector<coracle::TensorInfo> infos;
  for (const TensorConfig& tensor : tensors) {
    coracle::TensorInfo& info = infos.emplace_back();
    info.name = tensor.name;
    info.dtype = tensor.dtype;
    if (max_batch_size > 0) info.dims.push_back(-1);
    info.dims.insert(info.dims.end(), tensor.dims.begin(), tensor.dims.end());
  }
  return infos;
}

/// Ensembles whose steps lead back to them would never end. `path`: the names that led to `models`.
void check_no_way_back(const std::vector<std::string>& models, const FindModel& find, const std::string& path,
                       const std::string& name) {
  for (const std::string& model : models) {
    const std::string further = path + " -> " + model;
    if (model == name)
      throw Failure(Code::kInvalidArgument, "ensemble '" + name + "' leads back to itself: " + further);
    check_no_way_back(models_joined(find(model, "")->config()), find, further, name);
  }
}

}  // namespace

Ensemble::Ensemble(const std::string& name, int64_t version, const std::string& path, ModelConfig config,
                   FindModel find, const MemoryBudget& memory)
    : ServedModel(name, version, path, memory), find_(std::move(find)) {
  config.name = name;
  if (!config.warm_up.empty()) config.ignored.emplace_back("model_warmup");
  if (!config.parameters.empty()) config.ignored.emplace_back("parameters");
  const int64_t most_rows = config.batching.max_batch_size;
  std::vector<coracle::TensorInfo> inputs = infos_of(config.inputs, most_rows);
  std::vector<coracle::TensorInfo> outputs = infos_of(config.outputs, most_rows);
  plan_ = std::make_shared<const EnsemblePlan>(plan_of(config));
  try {
    check_no_way_back(models_joined(config), find_, name, name);
    check_steps(*plan_, open_steps(*plan_, find_), inputs, outputs, most_rows);
  } catch (const Failure& failure) {
    if (failure.code() == Code::kInvalidArgument) throw;
    throw Failure(Code::kInvalidArgument, "ensemble '" + name + "' needs another model: " + failure.what());
  }
  describe(std::move(config), std::move(inputs), std::move(outputs), most_rows);
}

void Ensemble::submit(InferencePtr request) {
  std::vector<OpenStep> steps;
  try {
    steps = open_steps(*plan_, find_);
  } catch (const Failure& failure) {
    throw Failure(Code::kUnavailable, "ensemble '" + name() + "' cannot run now: " + failure.what());
  }
  request->answer = [this, rows = rows_of(*request).value_or(1), answer = std::move(request->answer)](Answer given) {
    if (!given.failure.has_value()) statistics().add_execution(rows);
    answer(std::move(given));
  };
  run_steps(plan_, std::move(steps), std::move(request));
}

}  // namespace coracle::serve
