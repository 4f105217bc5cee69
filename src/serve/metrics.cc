// SPDX-License-Identifier: Apache-2.0
#include "serve/metrics.h"

#include "serve/model_metrics.h"

namespace coracle::serve {

HttpResponse Metrics::answer(const HttpRequest& request) {
  if (request.path != "/metrics" || request.method != "GET")
    return error_response({Code::kNotFound, "metrics are at GET /metrics"});
  HttpResponse response;
  response.content_type = "text/plain; version=0.0.4; charset=utf-8";
  response.body = text();
  return response;
}

std::string Metrics::text() {
  PrometheusText text;
  text.family("coracle_build_info", "gauge", "1, with the version of the program");
  text.sample({{"version", coracle_version()}}, uint64_t{1});
  const bool ready = readiness_.started && !readiness_.stopping && repository_.ready();
  text.metric("coracle_ready", "gauge", "1 where /v2/health/ready says so", uint64_t{ready});
  write_states(text);
  write_model_metrics(text, repository_.loaded());
  text.metric("coracle_http_connections", "gauge", "Connections of clients", uint64_t{http_.connections()});
  text.metric("coracle_http_requests_in_flight", "gauge", "Requests that are being answered",
              uint64_t{http_.under_way()});
  observer_.write_metrics(text);
  process_.write(text);
  return text.take();
}

void Metrics::write_states(PrometheusText& text) const {
  std::vector<IndexEntry> index;
  try {
    index = repository_.index();
  } catch (const Failure&) {  // the folder cannot be read
    for (const auto& model : repository_.loaded())
      index.push_back(
          {.name = model->name(), .version = std::to_string(model->version()), .state = "READY", .reason = {}});
  }
  uint64_t ready = 0;
  text.family("coracle_model_ready", "gauge", "1 for versions of models that are loaded, 0 for models that cannot be");
  for (const IndexEntry& entry : index) {
    if (entry.state.empty()) continue;
    const bool is_ready = entry.state == "READY";
    ready += uint64_t{is_ready};
    text.sample({{"model", entry.name}, {"version", entry.version}}, uint64_t{is_ready});
  }
  text.metric("coracle_models_ready", "gauge", "How many versions of models are loaded", ready);
}

}  // namespace coracle::serve
