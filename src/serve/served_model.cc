// SPDX-License-Identifier: Apache-2.0
#include "serve/served_model.h"

#include <utility>

#include "client/element.h"
namespace coracle::serve {
namespace {

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
    } else {
      throw Failure(Code::kInvalidArgument, "model '" + config.name + "': its configuration has the parameter '" +
                                                name + "', expected engines, device or precision");
    }
  }
  return options;
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
      model_(path_, {}, options_of(config_)),
      inputs_(model_.inputs()),
      outputs_(model_.outputs()) {
  config_.name = name_;
  config_ = completed(std::move(config_), model_, has_file, defaults);
  ModelInstances::Options options;
  options.instances = config_.instances > 0 ? config_.instances : defaults.instances;
  options.batching = config_.batching;
  if (!config_.dynamic_batching) options.batching.max_batch_size = 0;
  options.session.pool = defaults.pool;
  options.batching_refused = [log = defaults.log, name = name_](const std::string& why) {
    log("model '" + name + "' runs without batches from now on: " + why);
  };
  instances_ =
      std::make_unique<ModelInstances>(model_, options, [this](int64_t rows) { statistics_.add_execution(rows); });
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
  try {
    check(*request);
    instances_->submit(std::move(request));
  } catch (const Failure& failure) {
    statistics_.add_failure(failure.code());
    throw;
  }
}

}  // namespace coracle::serve
