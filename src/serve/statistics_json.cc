// SPDX-License-Identifier: Apache-2.0
#include "serve/statistics_json.h"

#include <unistd.h>

#include <fstream>
#include <functional>

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

/// Values of labels have backslashes, quotes and ends of lines escaped.
std::string label(const std::string& value) {
  std::string text;
  for (const char c : value) {
    if (c == '\\' || c == '"') text += '\\';
    text += c == '\n' ? ' ' : c;
  }
  return text;
}

/// The metrics of all models, a family after the other.
class Families {
 public:
  explicit Families(const std::vector<std::shared_ptr<ServedModel>>& models) {
    for (const std::shared_ptr<ServedModel>& model : models) {
      models_.push_back({"model=\"" + label(model->name()) + "\",version=\"" + std::to_string(model->version()) + '"',
                         model->statistics().counts(), model->waiting(), model->memory_bytes()});
    }
  }

  struct Model {
    std::string labels;
    Counts counts;
    size_t waiting;
    size_t memory_bytes;
  };

  template <class F>
  void add(const char* name, const char* type, const char* help, const F& value) {
    begin(name, type, help);
    for (const Model& model : models_) line(name, model.labels, std::to_string(value(model)));
  }

  void add_failures() {
    constexpr const char* kName = "nv_inference_request_failure";
    begin(kName, "counter", "Requests that failed, by reason");
    for (const Model& model : models_) {
      for (const char* reason : {"BACKEND", "CANCELED", "OTHER", "REJECTED"}) {
        const auto found = model.counts.failures.find(reason);
        const uint64_t count = found == model.counts.failures.end() ? 0 : found->second;
        line(kName, model.labels + ",reason=\"" + reason + '"', std::to_string(count));
      }
    }
  }

  void add_histogram(const char* name, const char* help, Histogram Counts::*histogram) {
    begin(name, "histogram", help);
    for (const Model& model : models_) {
      const Histogram& h = model.counts.*histogram;
      uint64_t sum = 0;
      for (size_t i = 0; i < h.counts.size(); ++i) {
        sum += h.counts[i];
        const std::string bound = i < kLatencyBounds.size() ? short_text(kLatencyBounds[i]) : "+Inf";
        line(std::string(name) + "_bucket", model.labels + ",le=\"" + bound + '"', std::to_string(sum));
      }
      line(std::string(name) + "_sum", model.labels, std::to_string(h.sum));
      line(std::string(name) + "_count", model.labels, std::to_string(h.count));
    }
  }

  void add_batches() {
    constexpr const char* kName = "coracle_batch_size";
    begin(kName, "histogram", "Rows of the runs of a model");
    for (const Model& model : models_) {
      uint64_t runs = 0;
      uint64_t rows = 0;
      auto next = model.counts.batches.begin();
      for (const int64_t bound : {1, 2, 4, 8, 16, 32, 64, 128}) {
        for (; next != model.counts.batches.end() && next->first <= bound; ++next) {
          runs += next->second;
          rows += next->second * static_cast<uint64_t>(next->first);
        }
        line(std::string(kName) + "_bucket", model.labels + ",le=\"" + std::to_string(bound) + '"',
             std::to_string(runs));
      }
      for (; next != model.counts.batches.end(); ++next) {
        runs += next->second;
        rows += next->second * static_cast<uint64_t>(next->first);
      }
      line(std::string(kName) + "_bucket", model.labels + ",le=\"+Inf\"", std::to_string(runs));
      line(std::string(kName) + "_sum", model.labels, std::to_string(rows));
      line(std::string(kName) + "_count", model.labels, std::to_string(runs));
    }
  }

  std::string take() { return std::move(text_); }

 private:
  static std::string short_text(double bound) {
    std::string text = std::to_string(bound);
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
    return text;
  }
  void begin(const std::string& name, const char* type, const char* help) {
    text_ += "# HELP " + name + ' ' + help + "\n# TYPE " + name + ' ' + type + '\n';
  }
  void line(const std::string& name, const std::string& labels, const std::string& value) {
    text_ += name + '{' + labels + "} " + value + '\n';
  }

  std::vector<Model> models_;
  std::string text_;
};

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

std::string metrics_text(const std::vector<std::shared_ptr<ServedModel>>& models) {
  using Model = Families::Model;
  constexpr uint64_t kMicrosecond = 1000;
  Families families(models);
  families.add("nv_inference_request_success", "counter", "Requests that succeeded",
               [](const Model& m) { return m.counts.success.count; });
  families.add_failures();
  families.add("nv_inference_count", "counter", "Rows that were computed",
               [](const Model& m) { return m.counts.inference_count; });
  families.add("nv_inference_exec_count", "counter", "Runs of the model, each with a batch of rows",
               [](const Model& m) { return m.counts.execution_count; });
  families.add("nv_inference_pending_request_count", "gauge", "Requests that wait",
               [](const Model& m) { return m.waiting; });
  families.add("coracle_model_memory_bytes", "gauge", "What models hold beside weights as their files have them",
               [](const Model& m) { return m.memory_bytes; });
  families.add("nv_inference_request_duration_us", "counter", "Microseconds of all requests that succeeded",
               [](const Model& m) { return m.counts.success.ns / kMicrosecond; });
  families.add("nv_inference_queue_duration_us", "counter", "Microseconds that they waited",
               [](const Model& m) { return m.counts.queue.ns / kMicrosecond; });
  families.add("nv_inference_compute_input_duration_us", "counter", "Microseconds in which inputs were put together",
               [](const Model& m) { return m.counts.compute_input.ns / kMicrosecond; });
  families.add("nv_inference_compute_infer_duration_us", "counter", "Microseconds in which the model ran",
               [](const Model& m) { return m.counts.compute_infer.ns / kMicrosecond; });
  families.add("nv_inference_compute_output_duration_us", "counter", "Microseconds in which outputs were taken apart",
               [](const Model& m) { return m.counts.compute_output.ns / kMicrosecond; });
  families.add_histogram("coracle_request_duration_ms", "Milliseconds from the request to its answer",
                         &Counts::request_ms);
  families.add_histogram("coracle_queue_duration_ms", "Milliseconds that requests waited", &Counts::queue_ms);
  families.add_histogram("coracle_compute_duration_ms", "Milliseconds that requests were worked on",
                         &Counts::compute_ms);
  families.add_batches();
  return families.take();
}

}  // namespace coracle::serve
