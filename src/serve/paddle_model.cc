// SPDX-License-Identifier: Apache-2.0
#include "serve/paddle_model.h"

#include <utility>

#include "client/element.h"
#include "serve/current_failure.h"
#include "serve/request_record.h"
#include "serve/weight_files.h"

namespace coracle::serve {
namespace {

constexpr const char* kPadWidth = "pad_width";
constexpr size_t kMostPlanBytes = size_t{64} << 20U;  // of a model that is warmed up for several sizes

/// Options of a model that its configuration may set, by the names that the program coracle gives them.
coracle::ModelOptions options_of(const ModelConfig& config) {
  coracle::ModelOptions options;
  for (const auto& [name, value] : config.parameters) {
    if (name == "engines") {
      options.engines = value;
    } else if (name == "device") {
      options.device = value;
    } else if (name == "precision") {
      options.precision = value;
    } else if (name != kPadWidth) {
      throw Failure(Code::kInvalidArgument, "model '" + config.name + "': its configuration has the parameter '" +
                                                name + "', expected engines, device, precision or pad_width");
    }
  }
  return options;
}

/// The axis along which requests may be padded; 0: none.
size_t pad_axis_of(const ModelConfig& config) {
  const auto given = config.parameters.find(kPadWidth);
  if (given == config.parameters.end()) return 0;
  const std::string& axis = given->second;
  if (axis.size() != 1 || axis[0] < '1' || axis[0] >= '0' + CORACLE_MAX_RANK) {
    throw Failure(Code::kInvalidArgument, "model '" + config.name + "': its configuration has pad_width '" + axis +
                                              "', expected an axis of its inputs, from 1 on");
  }
  return static_cast<size_t>(axis[0] - '0');
}

int instances_of(const ModelConfig& config, const ServingDefaults& defaults) {
  return config.instances > 0 ? config.instances : defaults.instances;
}

/// Of the files as they are before the model is loaded: should they change meanwhile, no later start has that key.
std::string key_of(const std::string& path, const ModelConfig& config, const ServingDefaults& defaults) {
  if (!defaults.state.keeps()) return {};
  std::map<std::string, std::string> parameters = config.parameters;
  parameters["instances"] = std::to_string(instances_of(config, defaults));
  parameters["threads"] = std::to_string(coracle_pool_threads(defaults.pool.handle()));
  return key_of_model(path, parameters);
}

coracle::Model load(const std::string& path, const ModelConfig& config, const MemoryBudget& memory) {
  const MemoryBudget::Share share = memory.reserve(memory.limited() ? copied_weights(path) : 0, "its weights");
  return coracle::Model(path, {}, options_of(config));
}

/// The runs before it is ready that somebody asked for.
std::vector<WarmUpSample> declared_warm_up(const ModelConfig& config, const std::string& name,
                                           const ServingDefaults& defaults) {
  std::vector<WarmUpSample> samples = config.warm_up;
  const auto [first, last] = defaults.warm_up.equal_range(name);
  for (auto sample = first; sample != last; ++sample) samples.push_back(sample->second);
  return samples;
}

ModelConfig completed(ModelConfig config, const coracle::Model& model, bool has_file, const ServingDefaults& defaults) {
  complete(config, model, has_file, defaults.max_batch_size);
  if (!has_file) {
    config.batching.max_queue_delay = defaults.max_queue_delay;
    config.batching.default_queue_policy.max_queue_size = defaults.max_queue_size;
  }
  return config;
}

}  // namespace

PaddleModel::PaddleModel(const std::string& name, int64_t version, const std::string& path, ModelConfig config,
                         bool has_file, const ServingDefaults& defaults)
    : ServedModel(name, version, path, defaults.memory),
      state_key_(key_of(path, config, defaults)),
      model_(load(path, config, defaults.memory)),
      state_(defaults.state),
      log_(defaults.log) {
  config.name = name;
  config = completed(std::move(config), model_, has_file, defaults);
  ModelInstances::Options options;
  options.instances = instances_of(config, defaults);
  options.batching = config.batching;
  options.batching.target = defaults.target;
  options.batching.pad_axis = pad_axis_of(config);
  if (!config.dynamic_batching) options.batching.max_batch_size = 0;
  options.session.pool = defaults.pool;
  // Plans of sizes that somebody names are to stay.
  if (declared_warm_up(config, name, defaults).size() > 1) options.session.cache_bytes = kMostPlanBytes;
  options.memory = memory();
  options.batching_refused = [log = defaults.log, name](const std::string& why) {
    log("model '" + name + "' runs without batches from now on: " + why);
  };
  // max_batch_size of a file is somebody's word, so that larger requests are refused.
  const int64_t most_rows = has_file ? config.batching.max_batch_size : 0;
  describe(std::move(config), model_.inputs(), model_.outputs(), most_rows);
  restore_state();
  instances_ = std::make_unique<ModelInstances>(model_, options, history_,
                                                [this](int64_t rows) { statistics().add_execution(rows); });
  warm_up(defaults);
  memory().require_kept(memory_bytes() + (memory().limited() ? copied_weights(path) : 0), "the model");
}

/// Runs the samples that somebody asked for, all of which must succeed, or else one that fits the model, whose data may
/// not be what it needs.
void PaddleModel::warm_up(const ServingDefaults& defaults) {
  std::vector<WarmUpSample> samples = declared_warm_up(config(), name(), defaults);
  const bool declared = !samples.empty();
  if (!declared) {
    std::optional<WarmUpSample> own = sample_of(inputs());
    if (!own.has_value()) return;
    samples.push_back(std::move(*own));
  }
  for (const WarmUpSample& sample : samples) {
    const auto fail = [&](Code code, const char* why) {
      // The server's own need not fit the data that the model wants, but has to fit in memory.
      if (declared) throw Failure(code, "the warm-up '" + sample.name + "' of model '" + name() + "' failed: " + why);
      if (code == Code::kUnavailable) throw Failure(code, why);
    };
    try {
      Inference request;
      request.inputs = inputs_of(sample, inputs());
      check(request);
      instances_->warm_up(request.inputs, sample.count);
    } catch (const Failure& e) {
      fail(e.code(), e.what());
    } catch (const coracle::Exception& e) {
      fail(e.status() == CORACLE_OUT_OF_MEMORY ? Code::kUnavailable : Code::kInvalidArgument, e.what());
    } catch (const std::bad_alloc&) {
      fail(Code::kUnavailable, "there is not the memory for its inputs");
    }
  }
}

void PaddleModel::restore_state() {
  if (!state_.keeps()) return;
  const std::optional<std::string> kept = state_.load(state_name(), state_key_, log_);
  if (!kept.has_value()) return;
  try {
    history_.restore(*kept);
    log_("model '" + name() + "' goes on with what was learnt of it before");
    if (history_.refused().has_value()) log_("model '" + name() + "' runs without batches: " + *history_.refused());
  } catch (const Failure& e) {
    log_("what was learnt of model '" + name() + "' before is not used: " + e.what());
  }
}

void PaddleModel::save_state() {
  if (!state_.keeps()) return;
  const std::lock_guard lock(save_mutex_);
  const uint64_t changes = history_.changes();
  if (changes == saved_changes_) return;
  state_.save(state_name(), state_key_, history_.json(), log_);
  saved_changes_ = changes;
}

std::string PaddleModel::state_name() const { return name() + '.' + std::to_string(version()); }

size_t PaddleModel::memory_bytes() const {
  return instances_->session_bytes() + model_.packed_bytes() + model_.plan_bytes();
}

void PaddleModel::submit(InferencePtr request) {
  if (const std::shared_ptr<RequestRecord> record = request->record) {
    request->answer = [this, record, answer = std::move(request->answer)](Answer given) {
      add_run(*record, given.times, given.failure.has_value());
      answer(std::move(given));
    };
  }
  instances_->submit(std::move(request));
}

}  // namespace coracle::serve
