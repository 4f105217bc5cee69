// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "serve/access_log.h"
#include "serve/grpc_status.h"
#include "serve/http.h"
#include "serve/prometheus_text.h"
#include "serve/trace_exporter.h"

namespace coracle::serve {

struct ObserverOptions {
  std::string access_log;      ///< a path, or "-" for standard output; empty: none
  std::string trace_endpoint;  ///< http://HOST:PORT/v1/traces of a collector; empty: none
  double trace_rate = 0.01;    ///< share of the requests whose clients do not say whether they are traced
};

/// Sees every request when it comes and when it was answered: counts it, logs it and traces it. For any number of
/// threads.
class RequestObserver {
 public:
  /// Throws Failure where the log cannot be written or the endpoint is none.
  explicit RequestObserver(const ObserverOptions& options);

  /// Puts a request into its trace. What is returned answers it, with the header traceparent where traces are made.
  Respond began(const HttpRequest& request, Respond respond);
  /// The same for requests that are not HTTP's. Returns the header of the answer; empty where no traces are made.
  std::string began(RequestRecord& record, std::string_view traceparent) const;
  void ended(const std::shared_ptr<const RequestRecord>& record);

  /// Opens the log again, for whoever has renamed it.
  void reopen();
  void write_metrics(PrometheusText& text) const;

 private:
  static constexpr size_t kStatuses = 600;

  const double trace_rate_;
  std::array<std::atomic<uint64_t>, kStatuses> answered_{};          // by status
  std::array<std::atomic<uint64_t>, kGrpcStatuses.size()> calls_{};  // of gRPC, by its status
  std::atomic<uint64_t> bytes_in_{0};
  std::atomic<uint64_t> bytes_out_{0};
  std::unique_ptr<AccessLog> log_;
  std::unique_ptr<TraceExporter> traces_;
};

}  // namespace coracle::serve
