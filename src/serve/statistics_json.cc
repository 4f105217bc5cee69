// SPDX-License-Identifier: Apache-2.0
#include "serve/statistics_json.h"

#include "base/json.h"

namespace coracle::serve {
namespace {

void write(internal::JsonWriter& json, const char* name, const Duration& duration) {
  json.Key(name);
  json.StartObject();
  json.field("count", duration.count);
  json.field("ns", duration.ns);
  json.EndObject();
}

}  // namespace

std::string statistics_json(const std::vector<std::shared_ptr<ServedModel>>& models) {
  return internal::json_text([&](internal::JsonWriter& json) {
    json.StartObject();
    json.Key("model_stats");
    json.StartArray();
    for (const std::shared_ptr<ServedModel>& model : models) {
      const Counts counts = model->statistics().counts();
      json.StartObject();
      json.field("name", model->name());
      json.field("version", std::to_string(model->version()));
      json.field("last_inference", counts.last_inference_ms);
      json.field("inference_count", counts.inference_count);
      json.field("execution_count", counts.execution_count);
      json.Key("inference_stats");
      json.StartObject();
      write(json, "success", counts.success);
      write(json, "fail", counts.fail);
      write(json, "queue", counts.queue);
      write(json, "compute_input", counts.compute_input);
      write(json, "compute_infer", counts.compute_infer);
      write(json, "compute_output", counts.compute_output);
      write(json, "cache_hit", {});
      write(json, "cache_miss", {});
      json.EndObject();
      json.Key("batch_stats");
      json.StartArray();
      for (const auto& [rows, runs] : counts.batches) {
        json.StartObject();
        json.field("batch_size", rows);
        json.field("execution_count", runs);
        json.EndObject();
      }
      json.EndArray();
      json.EndObject();
    }
    json.EndArray();
    json.EndObject();
  });
}

}  // namespace coracle::serve
