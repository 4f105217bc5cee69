// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "serve/http_server.h"
#include "serve/process_metrics.h"
#include "serve/repository.h"
#include "serve/request_observer.h"
#include "serve/service.h"

namespace coracle::serve {

/// All that GET /metrics shows. For any number of threads.
class Metrics {
 public:
  /// The arguments outlive it.
  Metrics(const Repository& repository, const Readiness& readiness, const HttpServer& http,
          const RequestObserver& observer)
      : repository_(repository), readiness_(readiness), http_(http), observer_(observer) {}

  /// Answers GET /metrics, and says for others where they are.
  HttpResponse answer(const HttpRequest& request);

 private:
  std::string text();
  void write_states(PrometheusText& text) const;

  const Repository& repository_;
  const Readiness& readiness_;
  const HttpServer& http_;
  const RequestObserver& observer_;
  ProcessMetrics process_;
};

}  // namespace coracle::serve
