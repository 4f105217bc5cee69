// SPDX-License-Identifier: Apache-2.0
#include "serve/model_metrics.h"

#include <string>

namespace coracle::serve {
namespace {

/// A moment of a model.
struct Snapshot {
  PrometheusText::Labels labels;
  Counts counts;
  uint64_t waiting;
  uint64_t memory_bytes;
  uint64_t queue_limit;
};

struct ModelFamily {
  const char* name;
  const char* type;
  const char* help;
  uint64_t (*value)(const Snapshot&);
};

uint64_t us(const Duration& duration) { return duration.ns / 1000; }

constexpr ModelFamily kFamilies[] = {
    {"nv_inference_request_success", "counter", "Requests that succeeded",
     [](const Snapshot& s) { return s.counts.success.count; }},
    {"nv_inference_count", "counter", "Rows that were computed",
     [](const Snapshot& s) { return s.counts.inference_count; }},
    {"nv_inference_exec_count", "counter", "Runs of the model, each with a batch of rows",
     [](const Snapshot& s) { return s.counts.execution_count; }},
    {"nv_inference_pending_request_count", "gauge", "Requests that wait", [](const Snapshot& s) { return s.waiting; }},
    {"nv_inference_request_duration_us", "counter", "Microseconds of all requests that succeeded",
     [](const Snapshot& s) { return us(s.counts.success); }},
    {"nv_inference_queue_duration_us", "counter", "Microseconds that they waited",
     [](const Snapshot& s) { return us(s.counts.queue); }},
    {"nv_inference_compute_input_duration_us", "counter", "Microseconds in which inputs were put together",
     [](const Snapshot& s) { return us(s.counts.compute_input); }},
    {"nv_inference_compute_infer_duration_us", "counter", "Microseconds in which the model ran",
     [](const Snapshot& s) { return us(s.counts.compute_infer); }},
    {"nv_inference_compute_output_duration_us", "counter", "Microseconds in which outputs were taken apart",
     [](const Snapshot& s) { return us(s.counts.compute_output); }},
    {"coracle_model_memory_bytes", "gauge", "What models hold beside weights as their files have them",
     [](const Snapshot& s) { return s.memory_bytes; }},
    {"coracle_queue_limit", "gauge", "Requests that may wait; 0: any number",
     [](const Snapshot& s) { return s.queue_limit; }},
};

struct LatencyFamily {
  const char* name;
  const char* help;
  Histogram Counts::*histogram;
};

constexpr LatencyFamily kLatencies[] = {
    {"coracle_request_duration_seconds", "Time from a request to its answer, of requests that succeeded",
     &Counts::request_ms},
    {"coracle_queue_duration_seconds", "Time that they waited", &Counts::queue_ms},
    {"coracle_compute_input_duration_seconds", "Time in which their inputs were put together",
     &Counts::compute_input_ms},
    {"coracle_compute_infer_duration_seconds", "Time in which the model ran", &Counts::compute_infer_ms},
    {"coracle_compute_output_duration_seconds", "Time in which their outputs were taken apart",
     &Counts::compute_output_ms},
};

void write_latency(PrometheusText& text, const PrometheusText::Labels& labels, const Histogram& histogram) {
  std::vector<PrometheusText::Bucket> buckets;
  for (size_t i = 0; i < kLatencyBounds.size(); ++i)
    buckets.push_back({.bound = kLatencyBounds[i] / 1000, .count = histogram.counts[i]});
  text.histogram(labels, buckets, histogram.count, histogram.sum / 1000);
}

void write_batches(PrometheusText& text, const PrometheusText::Labels& labels, const Counts& counts) {
  std::vector<PrometheusText::Bucket> buckets;
  for (const int64_t bound : {1, 2, 4, 8, 16, 32, 64, 128})
    buckets.push_back({.bound = static_cast<double>(bound), .count = 0});
  uint64_t runs = 0;
  uint64_t all_rows = 0;
  for (const auto& [rows, count] : counts.batches) {
    runs += count;
    all_rows += count * static_cast<uint64_t>(rows);
    for (PrometheusText::Bucket& bucket : buckets) {
      if (static_cast<double>(rows) > bucket.bound) continue;
      bucket.count += count;
      break;
    }
  }
  text.histogram(labels, buckets, runs, static_cast<double>(all_rows));
}

}  // namespace

void write_model_metrics(PrometheusText& text, const std::vector<std::shared_ptr<ServedModel>>& models) {
  std::vector<Snapshot> snapshots;
  for (const std::shared_ptr<ServedModel>& model : models) {
    snapshots.push_back({.labels = {{"model", model->name()}, {"version", std::to_string(model->version())}},
                         .counts = model->statistics().counts(),
                         .waiting = model->waiting(),
                         .memory_bytes = model->memory_bytes(),
                         .queue_limit = model->config().batching.default_queue_policy.max_queue_size});
  }
  for (const ModelFamily& family : kFamilies) {
    text.family(family.name, family.type, family.help);
    for (const Snapshot& s : snapshots) text.sample(s.labels, family.value(s));
  }
  text.family("nv_inference_request_failure", "counter", "Requests that failed, by reason");
  for (const Snapshot& s : snapshots) {
    for (const char* reason : {"BACKEND", "CANCELED", "OTHER", "REJECTED"}) {
      const auto found = s.counts.failures.find(reason);
      PrometheusText::Labels labels = s.labels;
      labels.emplace_back("reason", reason);
      text.sample(labels, found == s.counts.failures.end() ? uint64_t{0} : found->second);
    }
  }
  for (const LatencyFamily& family : kLatencies) {
    text.family(family.name, "histogram", family.help);
    for (const Snapshot& s : snapshots) write_latency(text, s.labels, s.counts.*family.histogram);
  }
  text.family("coracle_batch_size", "histogram", "Rows of the runs of a model");
  for (const Snapshot& s : snapshots) write_batches(text, s.labels, s.counts);
}

}  // namespace coracle::serve
