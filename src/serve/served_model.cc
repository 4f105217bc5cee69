// SPDX-License-Identifier: Apache-2.0
#include "serve/served_model.h"

#include <utility>

#include "client/element.h"
#include "serve/request_record.h"
namespace coracle::serve {
namespace {

constexpr const char* kPadWidth = "pad_width";

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

ModelConfig completed(ModelConfig config, const coracle::Model& model, bool has_file, const ServingDefaults& defaults) {
  complete(config, model, has_file, defaults.max_batch_size);
  if (!has_file) {
    config.batching.max_queue_delay = defaults.max_queue_delay;
    config.batching.default_queue_policy.max_queue_size = defaults.max_queue_size;
  }
  return config;
}

}  // namespace

ServedModel::ServedModel(std::string name, int64_t version, const std::string& path, ModelConfig config, bool has_file,
                         const ServingDefaults& defaults)
    : name_(std::move(name)),
      version_(version),
      path_(path),
      declared_batch_(has_file),
      config_(std::move(config)),
      state_key_(key_of(path, config_, defaults)),
      model_(path_, {}, options_of(config_)),
      inputs_(model_.inputs()),
      outputs_(model_.outputs()),
      memory_(defaults.memory),
      state_(defaults.state),
      log_(defaults.log) {
  config_.name = name_;
  config_ = completed(std::move(config_), model_, has_file, defaults);
  ModelInstances::Options options;
  options.instances = instances_of(config_, defaults);
  options.batching = config_.batching;
  options.batching.target = defaults.target;
  options.batching.pad_axis = pad_axis_of(config_);
  if (!config_.dynamic_batching) options.batching.max_batch_size = 0;
  options.session.pool = defaults.pool;
  options.memory = memory_;
  options.batching_refused = [log = defaults.log, name = name_](const std::string& why) {
    log("model '" + name + "' runs without batches from now on: " + why);
  };
  restore_state();
  instances_ = std::make_unique<ModelInstances>(model_, options, history_,
                                                [this](int64_t rows) { statistics_.add_execution(rows); });
  warm_up(defaults);
}

/// Runs the samples that somebody asked for, all of which must succeed, or else one that fits the model, whose data may
/// not be what it needs.
void ServedModel::warm_up(const ServingDefaults& defaults) {
  std::vector<WarmUpSample> samples = config_.warm_up;
  const auto [first, last] = defaults.warm_up.equal_range(name_);
  for (auto sample = first; sample != last; ++sample) samples.push_back(sample->second);
  const bool declared = !samples.empty();
  if (!declared) {
    std::optional<WarmUpSample> own = sample_of(inputs_);
    if (!own.has_value()) return;
    samples.push_back(std::move(*own));
  }
  for (const WarmUpSample& sample : samples) {
    const auto fail = [&](Code code, const char* why) {
      const std::string line = "the warm-up '" + sample.name + "' of model '" + name_ + "' failed: " + why;
      if (declared) throw Failure(code, line);
    };
    try {
      Inference request;
      request.inputs = inputs_of(sample, inputs_);
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

void ServedModel::restore_state() {
  if (!state_.keeps()) return;
  const std::optional<std::string> kept = state_.load(state_name(), state_key_, log_);
  if (!kept.has_value()) return;
  try {
    history_.restore(*kept);
    log_("model '" + name_ + "' goes on with what was learnt of it before");
    if (history_.refused().has_value()) log_("model '" + name_ + "' runs without batches: " + *history_.refused());
  } catch (const Failure& e) {
    log_("what was learnt of model '" + name_ + "' before is not used: " + e.what());
  }
}

void ServedModel::save_state() {
  if (!state_.keeps()) return;
  const std::lock_guard lock(save_mutex_);
  const uint64_t changes = history_.changes();
  if (changes == saved_changes_) return;
  state_.save(state_name(), state_key_, history_.json(), log_);
  saved_changes_ = changes;
}

std::string ServedModel::state_name() const { return name_ + '.' + std::to_string(version_); }

size_t ServedModel::memory_bytes() const {
  return instances_->session_bytes() + model_.packed_bytes() + model_.plan_bytes();
}

void ServedModel::check(const Inference& request) const {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const coracle::TensorInfo& info = inputs_[i];
    const Tensor& tensor = request.inputs[i];
    if (tensor.dtype != info.dtype) {
      throw Failure(Code::kInvalidArgument, "input '" + info.name + "' of model '" + name_ + "' has the datatype " +
                                                client::datatype_of(info.dtype) + ", the request says " +
                                                client::datatype_of(tensor.dtype));
    }
    bool fits = !info.rank_known || tensor.dims.size() == info.dims.size();
    for (size_t d = 0; fits && info.rank_known && d < info.dims.size(); ++d)
      fits = info.dims[d] < 0 || info.dims[d] == tensor.dims[d];
    if (!fits) {
      throw Failure(Code::kInvalidArgument, "input '" + info.name + "' of model '" + name_ + "' has the shape " +
                                                shape_text(info.dims) + " (-1: any size), the request says " +
                                                shape_text(tensor.dims));
    }
  }
  const int64_t most = most_rows();
  if (most == 0) return;
  const std::optional<int64_t> rows = rows_of(request);
  if (rows.has_value() && *rows > most) {
    throw Failure(Code::kInvalidArgument, "the request has " + std::to_string(*rows) + " rows, model '" + name_ +
                                              "' takes " + std::to_string(most) + " (max_batch_size)");
  }
}

void ServedModel::infer(InferencePtr request) {
  const std::shared_ptr<RequestRecord> record = request->record;
  if (record != nullptr) {
    request->answer = [this, record, answer = std::move(request->answer)](Answer given) {
      add_run(*record, given.times, given.failure.has_value());
      answer(std::move(given));
    };
  }
  try {
    check(*request);
    instances_->submit(std::move(request));
  } catch (const Failure& failure) {
    refused(record.get(), failure.code());
    throw;
  }
}

void ServedModel::refused(RequestRecord* record, Code code) {
  statistics_.add_failure(code);
  if (record != nullptr) add_run(*record, {}, true);
}

void ServedModel::add_run(RequestRecord& record, const Timeline& times, bool failed) const {
  record.add({.model = name_, .version = version_, .times = times, .failed = failed});
}

}  // namespace coracle::serve
