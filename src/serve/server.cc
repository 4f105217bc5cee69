// SPDX-License-Identifier: Apache-2.0
#include "serve/server.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <thread>
#include <utility>

#include "serve/open_inference.h"
#include "serve/page.h"
#include "serve/statistics_json.h"

namespace coracle::serve {

Server::Server(ServerOptions options) : options_(std::move(options)) {
#ifdef __GLIBC__
  // Large blocks that were freed are the system's again, so that the process keeps to its limit, too.
  if (options_.limits.memory.limited()) ::mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
  repository_ = std::make_unique<Repository>(options_.repository);
  router_ = std::make_unique<Router>(services(), options_.router);
  if (!options_.tls.certificate.empty())
    tls_ = std::make_shared<TlsContexts>(options_.tls, options_.repository.defaults.log);
  http_ = std::make_unique<HttpServer>(
      [router = router_.get()](const HttpRequest& request, const Respond& respond) {
        return router->handle(request, respond);
      },
      options_.limits, options_.http_threads, tls_);
  HttpLimits small = options_.limits;
  small.body_bytes = 0;
  metrics_ = std::make_unique<HttpServer>(
      [repository = repository_.get()](const HttpRequest& request, const Respond& respond) -> Cancel {
        if (request.path != "/metrics" || request.method != "GET") {
          respond(error_response({Code::kNotFound, "metrics are at GET /metrics"}));
          return nullptr;
        }
        HttpResponse response;
        response.content_type = "text/plain; version=0.0.4; charset=utf-8";
        response.body = metrics_text(repository->loaded());
        respond(std::move(response));
        return nullptr;
      },
      small, 1);
}

std::vector<std::unique_ptr<Service>> Server::services() {
  std::vector<std::unique_ptr<Service>> services;
  services.push_back(picture_service(*repository_, options_.pictures));
  services.push_back(std::make_unique<OpenInference>(*repository_, readiness_, options_.repository_control));
  if (options_.page) services.push_back(std::make_unique<Page>(options_.pictures.readers));
  if (!options_.pipelines.empty()) {
    auto pipelines = pipeline_service(options_.pipelines, *repository_, readiness_, options_.pictures);
    pipelines_ = pipelines.get();
    services.push_back(std::move(pipelines));
  }
  return services;
}

Server::~Server() {
  // No thread of the HTTP servers asks the repository any more before that ends; its last answers go to them.
  metrics_->stop();
  http_->stop();
  repository_ = nullptr;
}

void Server::listen_for_http(ListeningSocket socket) {
  const std::string scheme = !socket.is_tcp() ? "" : tls_ != nullptr ? "https://" : "http://";
  addresses_.push_back("HTTP at " + scheme + socket.name());
  const uint16_t port = http_->listen(std::move(socket));
  if (http_port_ == 0) http_port_ = port;
}

void Server::listen_for_metrics(ListeningSocket socket) {
  addresses_.push_back("metrics at " + std::string(socket.is_tcp() ? "http://" : "") + socket.name() + "/metrics");
  metrics_port_ = metrics_->listen(std::move(socket));
}

void Server::start() {
  bool http = options_.http_port.has_value();
  bool metrics = options_.metrics_port.has_value();
  for (const InheritedSocket& inherited : options_.inherited) {
    const bool for_metrics = inherited.name == "metrics";
    ListeningSocket socket = ListeningSocket::inherited(inherited.descriptor);
    for_metrics ? listen_for_metrics(std::move(socket)) : listen_for_http(std::move(socket));
    (for_metrics ? metrics : http) = false;
  }
  if (http) listen_for_http(ListeningSocket::on(options_.host, *options_.http_port));
  if (!options_.unix_socket.empty()) listen_for_http(ListeningSocket::at(options_.unix_socket));
  if (metrics) listen_for_metrics(ListeningSocket::on(options_.host, *options_.metrics_port));
  if (options_.repository.load_all) repository_->load_all();
  if (pipelines_ != nullptr && options_.repository.load_all) pipelines_->check();
  readiness_.started = true;
}

void Server::reload() {
  if (tls_ != nullptr) tls_->look();
  if (!options_.repository.folder.empty() && !options_.repository_control) repository_->look_at_folder();
}

bool Server::stop() {
  const Clock::time_point end = Clock::now() + options_.exit_timeout;
  readiness_.stopping = true;
  std::this_thread::sleep_for(options_.pre_stop);
  return http_->drain(end);
}

}  // namespace coracle::serve
