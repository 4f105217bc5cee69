// SPDX-License-Identifier: Apache-2.0
#include "serve/request_observer.h"

#include <algorithm>
#include <utility>

namespace coracle::serve {
namespace {

/// As often as the rate says, and the same for all who see the trace.
bool chosen(const std::string& trace_id, double rate) {
  constexpr size_t kDigits = 13;  // 52 bits, which a double holds
  constexpr double kAll = 1ULL << (4 * kDigits);
  return static_cast<double>(std::stoull(trace_id.substr(0, kDigits), nullptr, 16)) < rate * kAll;
}

}  // namespace

RequestObserver::RequestObserver(const ObserverOptions& options) : trace_rate_(options.trace_rate) {
  if (!options.access_log.empty()) log_ = std::make_unique<AccessLog>(options.access_log);
  if (!options.trace_endpoint.empty())
    traces_ = std::make_unique<TraceExporter>(parse_http_url(options.trace_endpoint));
}

std::string RequestObserver::began(RequestRecord& record, std::string_view traceparent) const {
  TraceContext& trace = record.trace;
  if (auto given = parse_traceparent(traceparent)) trace = std::move(*given);
  if (traces_ == nullptr) return {};
  if (trace.trace_id.empty()) {
    trace.trace_id = random_id(16);
    trace.sampled = chosen(trace.trace_id, trace_rate_);
  }
  trace.span_id = random_id(8);
  return traceparent_of(trace);
}

Respond RequestObserver::began(const HttpRequest& request, Respond respond) {
  std::string header = began(*request.record, request.header("traceparent"));
  if (header.empty()) return respond;
  return [respond = std::move(respond), header = std::move(header)](HttpResponse response) {
    response.headers.emplace_back("traceparent", header);
    respond(std::move(response));
  };
}

void RequestObserver::ended(const std::shared_ptr<const RequestRecord>& record) {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  if (record->grpc_status.has_value()) {
    calls_[std::min<size_t>(*record->grpc_status, calls_.size() - 1)].fetch_add(1, kRelaxed);
  } else {
    answered_[std::min<size_t>(record->status, kStatuses - 1)].fetch_add(1, kRelaxed);
    bytes_in_.fetch_add(record->bytes_in, kRelaxed);
    bytes_out_.fetch_add(record->bytes_out, kRelaxed);
  }
  if (log_ != nullptr) log_->add(record);
  if (traces_ != nullptr && record->trace.sampled && !record->trace.span_id.empty()) traces_->add(record);
}

void RequestObserver::reopen() {
  if (log_ != nullptr) log_->reopen();
}

void RequestObserver::write_metrics(PrometheusText& text) const {
  text.family("coracle_http_requests_total", "counter", "Requests that were answered, by status");
  for (size_t status = 0; status < kStatuses; ++status) {
    const uint64_t count = answered_[status];
    if (count != 0 || status == 200) text.sample({{"code", std::to_string(status)}}, count);
  }
  text.metric("coracle_http_request_bytes_total", "counter", "Bytes of their bodies", bytes_in_.load());
  text.metric("coracle_http_response_bytes_total", "counter", "Bytes of the bodies of answers", bytes_out_.load());
  text.family("coracle_grpc_requests_total", "counter", "Calls of gRPC that were answered, by status");
  for (size_t status = 0; status < calls_.size(); ++status) {
    const uint64_t count = calls_[status];
    if (count != 0 || status == 0) text.sample({{"code", grpc_status(status).name}}, count);
  }
  const bool logs = log_ != nullptr;
  const bool traces = traces_ != nullptr;
  text.metric("coracle_access_log_lines_total", "counter", "Lines that the access log has got",
              logs ? log_->written() : 0);
  text.metric("coracle_access_log_lost_lines_total", "counter", "Lines that it could not take in time",
              logs ? log_->lost() : 0);
  text.metric("coracle_traces_exported_total", "counter", "Traced requests that the collector has got",
              traces ? traces_->exported() : 0);
  text.metric("coracle_traces_lost_total", "counter", "Traced requests that it could not take in time",
              traces ? traces_->lost() : 0);
}

}  // namespace coracle::serve
