// SPDX-License-Identifier: Apache-2.0
#include "serve/server.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <future>
#include <thread>
#include <utility>

#include "serve/kserve_v1.h"
#include "serve/open_inference.h"
#include "serve/page.h"
#include "serve/text_reader_model.h"

namespace coracle::serve {

Server::Server(ServerOptions options) : options_(std::move(options)), observer_(options_.observer) {
#ifdef __GLIBC__
  // Large blocks that were freed are the system's again, so that the process keeps to its limit, too.
  if (options_.limits.memory.limited()) ::mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
  repository_ = std::make_unique<Repository>(options_.repository);
  operations_ = std::make_unique<RepositoryOperations>(*repository_, readiness_, options_.repository_control);
  router_ = std::make_unique<Router>(services(), options_.router);
  if (!options_.tls.certificate.empty())
    tls_ = std::make_shared<TlsContexts>(options_.tls, options_.repository.defaults.log);
  http_ = std::make_unique<HttpServer>(
      [this](const HttpRequest& request, const Respond& respond) {
        return router_->handle(request, observer_.began(request, respond));
      },
      options_.limits, options_.http_threads,
      [this](const std::shared_ptr<const RequestRecord>& record) { observer_.ended(record); }, tls_);
  metrics_text_ = std::make_unique<Metrics>(*repository_, readiness_, *http_, observer_);
  HttpLimits small = options_.limits;
  small.body_bytes = 0;
  metrics_ = std::make_unique<HttpServer>(
      [this](const HttpRequest& request, const Respond& respond) -> Cancel {
        respond(metrics_text_->answer(request));
        return nullptr;
      },
      small, 1);
  if (options_.grpc_port.has_value()) grpc_ = make_grpc();
}

std::unique_ptr<GrpcServer> Server::make_grpc() {
  const GrpcModule* const module = load_grpc_module();
  if (module == nullptr && options_.grpc_required) throw Failure(Code::kUnavailable, no_grpc_module());
  if (module == nullptr) return nullptr;
  GrpcOptions options;
  options.token = options_.router.token;
  options.message_bytes = options_.limits.body_bytes;
  options.calls = options_.limits.connections;
  if (tls_ != nullptr) options.tls = [tls = tls_] { return tls->current_pem(); };
  options.began = [this](RequestRecord& record, std::string_view traceparent) {
    return observer_.began(record, traceparent);
  };
  options.ended = [this](const std::shared_ptr<const RequestRecord>& record) { observer_.ended(record); };
  return module->make_server(*operations_, options);
}

std::vector<std::unique_ptr<Service>> Server::services() {
  std::vector<std::unique_ptr<Service>> services;
  services.push_back(picture_service(*repository_, options_.pictures));
  services.push_back(std::make_unique<OpenInference>(*operations_));
  services.push_back(std::make_unique<KServeV1>(*repository_, readiness_));
  if (options_.page) services.push_back(std::make_unique<Page>([this] { return readers(); }, options_.pipelines));
  if (!options_.pipelines.empty()) {
    auto pipelines = pipeline_service(options_.pipelines, *repository_, readiness_, options_.pictures);
    pipelines_ = pipelines.get();
    services.push_back(std::move(pipelines));
  }
  return services;
}

std::vector<TextReaderModels> Server::readers() const {
  std::vector<TextReaderModels> readers = readers_of(*repository_);
  readers.insert(readers.begin(), options_.pictures.readers.begin(), options_.pictures.readers.end());
  return readers;
}

Server::~Server() {
  // Calls of gRPC are cut off while there are models that answer them. No thread of the HTTP servers asks the
  // repository any more before that ends; its last answers go to them.
  grpc_ = nullptr;
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
  if (grpc_ != nullptr) {
    grpc_port_ = grpc_->listen(options_.host, *options_.grpc_port);
    const bool v6 = options_.host.find(':') != std::string::npos;
    addresses_.push_back(std::string(tls_ != nullptr ? "gRPC with TLS at " : "gRPC at ") +
                         (v6 ? '[' + options_.host + ']' : options_.host) + ':' + std::to_string(grpc_port_));
  }
  if (metrics) listen_for_metrics(ListeningSocket::on(options_.host, *options_.metrics_port));
  if (options_.repository.load_all) repository_->load_all();
  if (pipelines_ != nullptr && options_.repository.load_all) pipelines_->check();
  readiness_.started = true;
}

void Server::reload() {
  observer_.reopen();
  if (tls_ != nullptr) tls_->look();
  if (!options_.repository.folder.empty() && !options_.repository_control) repository_->look_at_folder();
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
