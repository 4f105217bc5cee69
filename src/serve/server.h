// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "serve/http_server.h"
#include "serve/metrics.h"
#include "serve/repository.h"
#include "serve/request_observer.h"
#include "serve/router.h"

namespace coracle::serve {

struct ServerOptions {
  Repository::Options repository;
  bool repository_control = false;  ///< clients may load and unload models
  Router::Options router;
  HttpLimits limits;
  ObserverOptions observer;
  std::string host = "127.0.0.1";
  std::optional<uint16_t> http_port = 8000;     ///< none: no HTTP over TCP; 0: any that is free
  std::optional<uint16_t> metrics_port = 8002;  ///< none: no metrics
  std::string unix_socket;                      ///< a path; empty: none
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
  /// Says that it is not ready, waits for load balancers to see that (pre_stop), takes no more connections, and answers
  /// what is under way. False where that took longer than exit_timeout.
  bool stop();
  /// Opens its log again, for whoever has renamed it.
  void reload() { observer_.reopen(); }

  uint16_t http_port() const { return http_port_; }
  uint16_t metrics_port() const { return metrics_port_; }

 private:
  std::vector<std::unique_ptr<Service>> services();

  const ServerOptions options_;
  RequestObserver observer_;
  // Instances of models answer requests whose connections belong to the HTTP servers: those end last.
  std::unique_ptr<HttpServer> http_;
  std::unique_ptr<HttpServer> metrics_;
  std::unique_ptr<Repository> repository_;
  Readiness readiness_;
  std::unique_ptr<Router> router_;
  std::unique_ptr<Metrics> metrics_text_;
  uint16_t http_port_ = 0;
  uint16_t metrics_port_ = 0;
};

}  // namespace coracle::serve
