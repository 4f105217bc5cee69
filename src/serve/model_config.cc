// SPDX-License-Identifier: Apache-2.0
#include "serve/model_config.h"

#include <algorithm>
#include <set>

#include "base/json.h"
#include "client/element.h"
#include "serve/config_reader.h"
#include "serve/failure.h"
#include "serve/inference.h"
#include "serve/text_proto.h"
#include "serve/warm_up.h"

namespace coracle::serve {
namespace {

/// Fields that do not change answers: hints for other back ends and other ways of running.
const std::set<std::string, std::less<>> kIgnored = {
    "backend",      "runtime",        "default_model_filename",  "cc_model_filenames",       "metric_tags",
    "optimization", "response_cache", "model_repository_agents", "model_transaction_policy", "batch_input",
    "batch_output", "model_metrics"};

using Reader = ConfigReader;

TensorConfig read_tensor(const Reader& reader, const TextField& field) {
  TensorConfig tensor;
  reader.message(field, [&](const Reader& r, const TextField& part) {
    if (part.name == "name") {
      tensor.name = r.text(part);
    } else if (part.name == "data_type") {
      tensor.dtype = r.data_type(part);
    } else if (part.name == "dims") {
      tensor.dims.push_back(r.integer(part, -1));
    } else if (part.name != "format" && part.name != "label_filename" && part.name != "optional") {
      r.unknown(part);
    }
  });
  return tensor;
}

QueuePolicy read_policy(const Reader& reader, const TextField& field) {
  QueuePolicy policy;
  reader.message(field, [&](const Reader& r, const TextField& part) {
    if (part.name == "timeout_action") {
      const std::string& action = r.text(part);
      if (action != "REJECT" && action != "DELAY") r.fail(part, "is " + action + ", expected REJECT or DELAY");
      policy.timeout_action =
          action == "DELAY" ? QueuePolicy::TimeoutAction::kDelay : QueuePolicy::TimeoutAction::kReject;
    } else if (part.name == "default_timeout_microseconds") {
      policy.default_timeout = std::chrono::microseconds(r.integer(part, 0));
    } else if (part.name == "allow_timeout_override") {
      policy.allow_timeout_override = r.boolean(part);
    } else if (part.name == "max_queue_size") {
      const int64_t size = r.integer(part, 0);
      if (size != 0) policy.max_queue_size = static_cast<size_t>(size);
    } else {
      r.unknown(part);
    }
  });
  return policy;
}

void read_batching(const Reader& reader, const TextField& field, BatchOptions& batching) {
  reader.message(field, [&](const Reader& r, const TextField& part) {
    if (part.name == "preferred_batch_size") {
      batching.preferred_batch_size.push_back(r.integer(part, 1));
    } else if (part.name == "max_queue_delay_microseconds") {
      batching.max_queue_delay = std::chrono::microseconds(r.integer(part, 0));
    } else if (part.name == "preserve_ordering") {
      batching.preserve_ordering = r.boolean(part);
    } else if (part.name == "priority_levels") {
      batching.priority_levels = static_cast<uint32_t>(r.integer(part, 0, 1000));
    } else if (part.name == "default_priority_level") {
      batching.default_priority_level = static_cast<uint32_t>(r.integer(part, 1, 1000));
    } else if (part.name == "default_queue_policy") {
      batching.default_queue_policy = read_policy(r, part);
    } else if (part.name == "priority_queue_policy") {
      uint32_t level = 0;
      QueuePolicy policy;
      r.message(part, [&](const Reader& inner, const TextField& entry) {
        if (entry.name == "key") {
          level = static_cast<uint32_t>(inner.integer(entry, 1, 1000));
        } else if (entry.name == "value") {
          policy = read_policy(inner, entry);
        } else {
          inner.unknown(entry);
        }
      });
      batching.priority_queue_policy[level] = policy;
    } else {
      r.unknown(part);
    }
  });
  const BatchOptions& b = batching;
  if (b.priority_levels != 0 && (b.default_priority_level == 0 || b.default_priority_level > b.priority_levels)) {
    reader.fail(field, "has priority_levels " + std::to_string(b.priority_levels) +
                           ", so that default_priority_level must be from 1 to that, not " +
                           std::to_string(b.default_priority_level));
  }
}

void read_versions(const Reader& reader, const TextField& field, VersionPolicy& versions) {
  reader.message(field, [&](const Reader& r, const TextField& part) {
    if (part.name == "latest") {
      versions.kind = VersionPolicy::Kind::kLatest;
      r.message(part, [&](const Reader& inner, const TextField& entry) {
        if (entry.name != "num_versions") inner.unknown(entry);
        versions.latest = static_cast<uint32_t>(inner.integer(entry, 1, UINT32_MAX));
      });
    } else if (part.name == "all") {
      versions.kind = VersionPolicy::Kind::kAll;
    } else if (part.name == "specific") {
      versions.kind = VersionPolicy::Kind::kSpecific;
      r.message(part, [&](const Reader& inner, const TextField& entry) {
        if (entry.name != "versions") inner.unknown(entry);
        versions.specific.push_back(inner.integer(entry, 1));
      });
    } else {
      r.unknown(part);
    }
  });
}

void read_parameter(const Reader& reader, const TextField& field, std::map<std::string, std::string>& parameters) {
  std::string key;
  std::string value;
  reader.message(field, [&](const Reader& r, const TextField& part) {
    if (part.name == "key") {
      key = r.text(part);
    } else if (part.name == "value") {
      r.message(part, [&](const Reader& inner, const TextField& entry) {
        if (entry.name != "string_value") inner.unknown(entry);
        value = inner.text(entry);
      });
    } else {
      r.unknown(part);
    }
  });
  parameters[key] = value;
}

void check_tensor(const ModelConfig& config, const TensorConfig& tensor, const coracle::TensorInfo& info) {
  if (tensor.dtype != info.dtype) {
    throw Failure(Code::kInvalidArgument, "model '" + config.name + "': its configuration says that '" + tensor.name +
                                              "' has elements of type " + client::datatype_of(tensor.dtype) +
                                              ", the model says " + coracle_dtype_name(info.dtype));
  }
  if (!info.rank_known) return;
  const size_t batch = config.batching.max_batch_size > 0 ? 1 : 0;
  bool fits = tensor.dims.size() + batch == info.dims.size();
  for (size_t d = 0; fits && d < tensor.dims.size(); ++d)
    fits = tensor.dims[d] == -1 || info.dims[d + batch] == -1 || tensor.dims[d] == info.dims[d + batch];
  if (fits) return;
  throw Failure(Code::kInvalidArgument, "model '" + config.name + "': its configuration says that '" + tensor.name +
                                            "' is " + shape_text(tensor.dims) +
                                            (batch != 0 ? " beside the batch" : "") + ", the model says " +
                                            shape_text(info.dims));
}

/// Names each tensor of the model that the configuration does not name, and checks the others.
void complete_tensors(ModelConfig& config, std::vector<TensorConfig>& tensors,
                      const std::vector<coracle::TensorInfo>& infos, const char* kind) {
  for (const TensorConfig& tensor : tensors) {
    const auto info = std::find_if(infos.begin(), infos.end(), [&](const auto& i) { return i.name == tensor.name; });
    if (info == infos.end()) {
      std::string names;
      for (const coracle::TensorInfo& i : infos) names += (names.empty() ? "'" : ", '") + i.name + "'";
      throw Failure(Code::kInvalidArgument, "model '" + config.name + "': its configuration names the " + kind + " '" +
                                                tensor.name + "'; the model has " + names);
    }
    check_tensor(config, tensor, *info);
  }
  std::vector<TensorConfig> complete;
  for (const coracle::TensorInfo& info : infos) {
    const auto own = std::find_if(tensors.begin(), tensors.end(), [&](const auto& t) { return t.name == info.name; });
    if (own != tensors.end()) {
      complete.push_back(*own);
      continue;
    }
    const auto first = info.dims.begin() + (config.batching.max_batch_size > 0 && !info.dims.empty() ? 1 : 0);
    complete.push_back({.name = info.name, .dtype = info.dtype, .dims = coracle::Dims(first, info.dims.end())});
  }
  tensors = std::move(complete);
}

bool has_free_rows(const std::vector<coracle::TensorInfo>& infos) {
  return std::all_of(infos.begin(), infos.end(), [](const coracle::TensorInfo& info) {
    return info.rank_known && !info.dims.empty() && info.dims.front() == -1 && info.lod_levels == 0;
  });
}

}  // namespace

ModelConfig parse_model_config(std::string_view text, const std::string& source) {
  const TextMessage message = parse_text_proto(text, source);
  const Reader reader(source, "");
  ModelConfig config;
  for (const TextField& field : message.fields) {
    if (field.name == "name") {
      config.name = reader.text(field);
    } else if (field.name == "platform") {
      const std::string& platform = reader.text(field);
      if (platform == kEnsemblePlatform || platform == kTextReaderPlatform) {
        config.platform = platform;
      } else {
        config.ignored.push_back(field.name);
      }
    } else if (field.name == "ensemble_scheduling") {
      config.ensemble = read_ensemble(reader, field);
    } else if (field.name == "max_batch_size") {
      config.batching.max_batch_size = reader.integer(field, 0, INT32_MAX);
    } else if (field.name == "input") {
      config.inputs.push_back(read_tensor(reader, field));
    } else if (field.name == "output") {
      config.outputs.push_back(read_tensor(reader, field));
    } else if (field.name == "version_policy") {
      read_versions(reader, field, config.versions);
    } else if (field.name == "instance_group") {
      int count = 1;
      reader.message(field, [&](const Reader& r, const TextField& part) {
        if (part.name == "count") {
          count = static_cast<int>(r.integer(part, 1, 1024));
        } else if (part.name == "kind") {
          const std::string& kind = r.text(part);
          if (kind != "KIND_CPU" && kind != "KIND_AUTO")
            r.fail(part, "is " + kind + ", expected KIND_CPU or KIND_AUTO", Code::kUnsupported);
        } else if (part.name != "name") {
          r.unknown(part);
        }
      });
      config.instances += count;
    } else if (field.name == "dynamic_batching") {
      config.dynamic_batching = true;
      read_batching(reader, field, config.batching);
    } else if (field.name == "parameters") {
      read_parameter(reader, field, config.parameters);
    } else if (field.name == "model_warmup") {
      config.warm_up.push_back(read_warm_up(reader, field));
    } else if (kIgnored.contains(field.name)) {
      config.ignored.push_back(field.name);
    } else {
      reader.unknown(field);
    }
  }
  if (!config.ensemble.empty() && config.platform != kEnsemblePlatform)
    throw Failure(Code::kInvalidArgument, source + ": ensemble_scheduling needs platform: \"ensemble\"");
  return config;
}

std::vector<std::string> models_joined(const ModelConfig& config) {
  std::vector<std::string> models;
  for (const EnsembleStep& step : config.ensemble) models.push_back(step.model);
  if (config.platform != kTextReaderPlatform) return models;
  for (const char* const part : {"detector", "recognizer", "classifier"}) {
    const auto given = config.parameters.find(part);
    if (given != config.parameters.end()) models.push_back(given->second);
  }
  return models;
}

void complete(ModelConfig& config, const coracle::Model& model, bool has_file, int64_t default_batch) {
  const std::vector<coracle::TensorInfo> inputs = model.inputs();
  const std::vector<coracle::TensorInfo> outputs = model.outputs();
  if (!has_file && !inputs.empty() && has_free_rows(inputs) && has_free_rows(outputs)) {
    config.batching.max_batch_size = default_batch;
    config.dynamic_batching = default_batch > 0;
  }
  complete_tensors(config, config.inputs, inputs, "input");
  complete_tensors(config, config.outputs, outputs, "output");
}

std::string config_json(const ModelConfig& config) {
  return internal::json_text([&](internal::JsonWriter& json) {
    const auto tensors = [&](const char* key, const std::vector<TensorConfig>& list) {
      json.Key(key);
      json.StartArray();
      for (const TensorConfig& tensor : list) {
        json.StartObject();
        json.field("name", tensor.name);
        json.field("data_type", "TYPE_" + client::datatype_of(tensor.dtype));
        json.Key("dims");
        json.StartArray();
        for (const int64_t d : tensor.dims) json.Int64(d < 0 ? -1 : d);
        json.EndArray();
        json.EndObject();
      }
      json.EndArray();
    };
    const BatchOptions& batching = config.batching;
    json.StartObject();
    json.field("name", config.name);
    json.field("platform", config.platform);
    json.field("backend", std::string_view(config.platform == kEnsemblePlatform ? "" : "coracle"));
    json.field("max_batch_size", batching.max_batch_size);
    tensors("input", config.inputs);
    tensors("output", config.outputs);
    if (config.dynamic_batching) {
      json.Key("dynamic_batching");
      json.StartObject();
      json.Key("preferred_batch_size");
      json.StartArray();
      for (const int64_t size : batching.preferred_batch_size) json.Int64(size);
      json.EndArray();
      json.field("max_queue_delay_microseconds", static_cast<int64_t>(batching.max_queue_delay.count()));
      json.field("preserve_ordering", batching.preserve_ordering);
      json.field("priority_levels", batching.priority_levels);
      json.field("default_priority_level", batching.default_priority_level);
      json.EndObject();
    }
    if (!config.ensemble.empty()) write_ensemble(json, config.ensemble);
    json.Key("parameters");
    json.StartObject();
    for (const auto& [name, value] : config.parameters) {
      json.Key(name.c_str());
      json.StartObject();
      json.field("string_value", value);
      json.EndObject();
    }
    json.EndObject();
    json.EndObject();
  });
}

}  // namespace coracle::serve
