// SPDX-License-Identifier: Apache-2.0
#include "serve/statistics_json.h"

#include <unistd.h>

#include <fstream>

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

/// What this process has in memory; 0 where the system does not say.
uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  uint64_t all = 0;
  uint64_t resident = 0;
  file >> all >> resident;
  return resident * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
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
      // Triton does not have these: requests that wait now, and how many successful ones took at most each bound.
      json.field("waiting", static_cast<uint64_t>(model->waiting()));
      json.Key("request_ms");
      json.StartObject();
      json.list("bounds", kLatencyBounds);
      json.list("counts", counts.request_ms.counts);
      json.EndObject();
      json.Key("memory_usage");
      json.StartArray();
      json.StartObject();
      json.field("type", std::string_view("CPU"));
      json.field("id", 0);
      json.field("byte_size", static_cast<uint64_t>(model->memory_bytes()));
      json.EndObject();
      json.EndArray();
      json.EndObject();
    }
    json.EndArray();
    json.field("memory_bytes", resident_bytes());
    json.EndObject();
  });
}

}  // namespace coracle::serve
