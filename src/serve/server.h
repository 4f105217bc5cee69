// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "serve/grpc_module.h"
#include "serve/http_server.h"
#include "serve/metrics.h"
#include "serve/pictures.h"
#include "serve/pipelines.h"
#include "serve/repository_operations.h"
#include "serve/request_observer.h"
#include "serve/router.h"
#include "serve/systemd.h"
#include "serve/tls.h"

namespace coracle::serve {

struct ServerOptions {
  Repository::Options repository;
  bool repository_control = false;  ///< clients may load and unload models
  Router::Options router;
  HttpLimits limits;
  PictureOptions pictures;
  std::vector<PipelineConfig> pipelines;
  ObserverOptions observer;
  std::string host = "127.0.0.1";
  std::optional<uint16_t> http_port = 8000;     ///< none: no HTTP over TCP; 0: any that is free
  std::optional<uint16_t> grpc_port = 8001;     ///< none: no gRPC
  bool grpc_required = false;                   ///< it is an error where the module is not there
  std::optional<uint16_t> metrics_port = 8002;  ///< none: no metrics
  bool page = true;                             ///< for browsers, at /
  std::string unix_socket;                      ///< a path; empty: none
  std::vector<InheritedSocket> inherited;       ///< "metrics", or any other name: HTTP; each instead of its port
  TlsFiles tls;                                 ///< for HTTP over TCP and gRPC; the metrics have none
  int http_threads = 2;
  std::chrono::milliseconds pre_stop{0};  ///< after it was asked to stop it still takes requests so long
  std::chrono::milliseconds exit_timeout{25'000};
};

/// The repository, what is answered of it, and the ports.
class Server {
 public:
  explicit Server(ServerOptions options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Listens, then loads the models, so that health can be asked meanwhile. Throws Failure.
  void start();
  /// Looks at the files of TLS and, where clients do not control them, at the folder of models.
  void reload();
  /// Says that it is not ready, waits for load balancers to see that (pre_stop), takes no more connections, and answers
  /// what is under way. False where that took longer than exit_timeout.
  bool stop();
  uint16_t http_port() const { return http_port_; }
  /// 0 where there is none.
  uint16_t grpc_port() const { return grpc_port_; }
  uint16_t metrics_port() const { return metrics_port_; }
  /// Where it listens, a line each: "HTTP at http://127.0.0.1:8000".
  const std::vector<std::string>& addresses() const { return addresses_; }

 private:
  void listen_for_http(ListeningSocket socket);
  void listen_for_metrics(ListeningSocket socket);
  std::vector<std::unique_ptr<Service>> services();
  std::vector<TextReaderModels> readers() const;
  std::unique_ptr<GrpcServer> make_grpc();

  const ServerOptions options_;
  std::shared_ptr<TlsContexts> tls_;
  RequestObserver observer_;
  // Instances of models answer requests whose connections belong to the HTTP servers: those end last.
  std::unique_ptr<HttpServer> http_;
  std::unique_ptr<HttpServer> metrics_;
  std::unique_ptr<Repository> repository_;
  Readiness readiness_;
  PipelineService* pipelines_ = nullptr;  // the router's
  std::unique_ptr<RepositoryOperations> operations_;
  std::unique_ptr<Router> router_;
  std::unique_ptr<GrpcServer> grpc_;
  std::unique_ptr<Metrics> metrics_text_;
  uint16_t http_port_ = 0;
  uint16_t grpc_port_ = 0;
  uint16_t metrics_port_ = 0;
  std::vector<std::string> addresses_;
};

}  // namespace coracle::serve
