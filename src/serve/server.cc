// SPDX-License-Identifier: Apache-2.0
#include "serve/server.h"

#include <thread>
#include <utility>

#include "serve/kserve_v1.h"
#include "serve/open_inference.h"

namespace coracle::serve {

Server::Server(ServerOptions options) : options_(std::move(options)), observer_(options_.observer) {
  repository_ = std::make_unique<Repository>(options_.repository);
  router_ = std::make_unique<Router>(services(), options_.router);
  http_ = std::make_unique<HttpServer>(
      [this](const HttpRequest& request, const Respond& respond) {
        return router_->handle(request, observer_.began(request, respond));
      },
      options_.limits, options_.http_threads,
      [this](const std::shared_ptr<const RequestRecord>& record) { observer_.ended(record); });
  metrics_text_ = std::make_unique<Metrics>(*repository_, readiness_, *http_, observer_);
  HttpLimits small = options_.limits;
  small.body_bytes = 0;
  metrics_ = std::make_unique<HttpServer>(
      [this](const HttpRequest& request, const Respond& respond) -> Cancel {
        respond(metrics_text_->answer(request));
        return nullptr;
      },
      small, 1);
}

std::vector<std::unique_ptr<Service>> Server::services() {
  std::vector<std::unique_ptr<Service>> services;
  services.push_back(std::make_unique<OpenInference>(*repository_, readiness_, options_.repository_control));
  services.push_back(std::make_unique<KServeV1>(*repository_, readiness_));
  return services;
}

Server::~Server() {
  // No thread of the HTTP servers asks the repository any more before that ends; its last answers go to them.
  metrics_->stop();
  http_->stop();
  repository_ = nullptr;
}

void Server::start() {
  if (options_.http_port.has_value()) http_port_ = http_->listen(options_.host, *options_.http_port);
  if (!options_.unix_socket.empty()) http_->listen("unix:" + options_.unix_socket, 0);
  if (options_.metrics_port.has_value()) metrics_port_ = metrics_->listen(options_.host, *options_.metrics_port);
  if (options_.repository.load_all) repository_->load_all();
  readiness_.started = true;
}

bool Server::stop() {
  const Clock::time_point end = Clock::now() + options_.exit_timeout;
  readiness_.stopping = true;
  std::this_thread::sleep_for(options_.pre_stop);
  return http_->drain(end);
}

}  // namespace coracle::serve
