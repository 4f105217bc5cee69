// SPDX-License-Identifier: Apache-2.0
#include "serve/server.h"

#include <future>
#include <thread>
#include <utility>

#include "serve/open_inference.h"
#include "serve/statistics_json.h"

namespace coracle::serve {

Server::Server(ServerOptions options) : options_(std::move(options)) {
  repository_ = std::make_unique<Repository>(options_.repository);
  operations_ = std::make_unique<RepositoryOperations>(*repository_, readiness_, options_.repository_control);
  router_ = std::make_unique<Router>(services(), options_.router);
  http_ = std::make_unique<HttpServer>(
      [router = router_.get()](const HttpRequest& request, const Respond& respond) {
        return router->handle(request, respond);
      },
      options_.limits, options_.http_threads);
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
  if (options_.grpc_port.has_value()) grpc_ = make_grpc();
}

std::unique_ptr<GrpcServer> Server::make_grpc() {
  const GrpcModule* const module = load_grpc_module();
  if (module == nullptr && options_.grpc_required) throw Failure(Code::kUnavailable, no_grpc_module());
  if (module == nullptr) return nullptr;
  return module->make_server(*operations_, {.token = options_.router.token,
                                            .message_bytes = options_.limits.body_bytes,
                                            .calls = options_.limits.connections});
}

std::vector<std::unique_ptr<Service>> Server::services() {
  std::vector<std::unique_ptr<Service>> services;
  services.push_back(std::make_unique<OpenInference>(*operations_));
  return services;
}

Server::~Server() {
  // Calls of gRPC are cut off while there are models that answer them. No thread of the HTTP servers asks the
  // repository any more before that ends; its last answers go to them.
  grpc_ = nullptr;
  metrics_->stop();
  http_->stop();
  repository_ = nullptr;
}

void Server::start() {
  if (options_.http_port.has_value()) http_port_ = http_->listen(options_.host, *options_.http_port);
  if (!options_.unix_socket.empty()) http_->listen("unix:" + options_.unix_socket, 0);
  if (grpc_ != nullptr) grpc_port_ = grpc_->listen(options_.host, *options_.grpc_port);
  if (options_.metrics_port.has_value()) metrics_port_ = metrics_->listen(options_.host, *options_.metrics_port);
  if (options_.repository.load_all) repository_->load_all();
  readiness_.started = true;
}

bool Server::stop() {
  const Clock::time_point end = Clock::now() + options_.exit_timeout;
  readiness_.stopping = true;
  std::this_thread::sleep_for(options_.pre_stop);
  std::future<bool> grpc = std::async(std::launch::async, [&] { return grpc_ == nullptr || grpc_->drain(end); });
  const bool http = http_->drain(end);
  return grpc.get() && http;
}

}  // namespace coracle::serve
