// SPDX-License-Identifier: Apache-2.0
#include "serve/otlp_json.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/json.h"
#include "coracle/coracle.hpp"

namespace coracle::serve {
namespace {

constexpr const char* kServiceName = "coracle-serve";
// SpanKind and StatusCode of opentelemetry.proto.trace.v1.
constexpr int64_t kInternalSpan = 1;
constexpr int64_t kServerSpan = 2;
constexpr int64_t kFailedStatus = 2;

class SpanWriter {
 public:
  explicit SpanWriter(internal::JsonWriter& json) : json_(json) {}

  void write(const RequestRecord& record) {
    begin(record, record.trace.span_id, record.trace.parent_id, "request", kServerSpan, record.begin, record.end);
    record.grpc_status.has_value() ? write_call(record) : write_http(record);
    attribute("client.address", record.peer);
    if (!record.id.empty()) attribute("coracle.request_id", valid_utf8(record.id, 255));
    end(record.status >= 500);
    for (const ModelRun& run : record.runs()) write_run(record, run);
  }

  void attribute(std::string_view key, const std::string& value) { write_attribute(key, "stringValue", value); }
  void attribute(std::string_view key, int64_t value) { write_attribute(key, "intValue", std::to_string(value)); }

 private:
  void write_http(const RequestRecord& record) {
    attribute("http.request.method", valid_utf8(record.method, 32));
    attribute("url.path", valid_utf8(record.path, 1024));
    attribute("http.response.status_code", int64_t{record.status});
  }

  /// Its path is /SERVICE/METHOD.
  void write_call(const RequestRecord& record) {
    const size_t slash = record.path.rfind('/');
    attribute("rpc.system", std::string("grpc"));
    attribute("rpc.service", record.path.substr(1, slash - 1));
    attribute("rpc.method", record.path.substr(slash + 1));
    attribute("rpc.grpc.status_code", int64_t{*record.grpc_status});
  }

  void write_run(const RequestRecord& record, const ModelRun& run) {
    const Timeline& t = run.times;
    const std::array times{t.queued, t.started, t.inputs_ready, t.computed, t.done};
    constexpr std::array kNames{"queue", "compute_input", "compute_infer", "compute_output"};
    const Clock::time_point never;
    for (size_t i = 0; i < kNames.size() && times[i] != never; ++i) {
      // What failed ended in the part that has no end of its own.
      const bool ended = times[i + 1] != never && times[i + 1] >= times[i];
      const Clock::time_point until = ended ? times[i + 1] : t.done;
      if (until < times[i]) return;
      begin(record, random_id(8), record.trace.span_id, kNames[i], kInternalSpan, times[i], until);
      attribute("coracle.model", run.model);
      attribute("coracle.model_version", run.version);
      if (ended && i != 0) attribute("coracle.batch_size", t.batch);
      end(!ended);
      if (!ended) return;
    }
  }

  void begin(const RequestRecord& record, const std::string& id, const std::string& parent, const char* name,
             int64_t kind, Clock::time_point from, Clock::time_point until) {
    const auto unix_ns = [&](Clock::time_point time) {
      const auto since = std::chrono::duration_cast<std::chrono::nanoseconds>(record.time.time_since_epoch());
      return std::to_string(
          (since + std::chrono::duration_cast<std::chrono::nanoseconds>(time - record.begin)).count());
    };
    json_.StartObject();
    json_.field("traceId", record.trace.trace_id);
    json_.field("spanId", id);
    if (!parent.empty()) json_.field("parentSpanId", parent);
    json_.field("name", std::string_view(name));
    json_.field("kind", kind);
    json_.field("startTimeUnixNano", unix_ns(from));
    json_.field("endTimeUnixNano", unix_ns(until));
    json_.Key("attributes");
    json_.StartArray();
  }
  void end(bool failed) {
    json_.EndArray();
    json_.Key("status");
    json_.StartObject();
    if (failed) json_.field("code", kFailedStatus);
    json_.EndObject();
    json_.EndObject();
  }

  void write_attribute(std::string_view key, std::string_view type, const std::string& value) {
    json_.StartObject();
    json_.field("key", key);
    json_.Key("value");
    json_.StartObject();
    json_.field(type, value);
    json_.EndObject();
    json_.EndObject();
  }

  internal::JsonWriter& json_;
};

}  // namespace

std::string otlp_json(const std::vector<std::shared_ptr<const RequestRecord>>& records) {
  return internal::json_text([&](internal::JsonWriter& json) {
    SpanWriter writer(json);
    json.StartObject();
    json.Key("resourceSpans");
    json.StartArray();
    json.StartObject();
    json.Key("resource");
    json.StartObject();
    json.Key("attributes");
    json.StartArray();
    writer.attribute("service.name", std::string(kServiceName));
    writer.attribute("service.version", std::string(coracle_version()));
    writer.attribute("process.pid", int64_t{::getpid()});
    json.EndArray();
    json.EndObject();
    json.Key("scopeSpans");
    json.StartArray();
    json.StartObject();
    json.Key("scope");
    json.StartObject();
    json.field("name", std::string_view(kServiceName));
    json.field("version", std::string_view(coracle_version()));
    json.EndObject();
    json.Key("spans");
    json.StartArray();
    for (const std::shared_ptr<const RequestRecord>& record : records) writer.write(*record);
    json.EndArray();
    json.EndObject();
    json.EndArray();
    json.EndObject();
    json.EndArray();
    json.EndObject();
  });
}

}  // namespace coracle::serve
