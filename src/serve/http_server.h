// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "serve/http.h"
#include "serve/listening.h"
#include "serve/memory_budget.h"
#include "serve/request_record.h"

namespace coracle::serve {

/// What clients may ask of the server, so that none can take it from the others.
struct HttpLimits {
  size_t header_bytes = size_t{16} << 10;
  size_t body_bytes = size_t{64} << 20;  ///< after its content coding was undone, too
  size_t connections = 1000;
  MemoryBudget memory;                            ///< in which bodies count
  std::chrono::milliseconds header_time{10'000};  ///< for TLS's handshake, and the head of the first request
  std::chrono::milliseconds body_time{60'000};
  std::chrono::milliseconds write_time{60'000};
  std::chrono::milliseconds linger_time{2'000};  ///< for the rest of a request that was refused
  std::chrono::milliseconds idle_time{75'000};   ///< for the heads of further ones, from the answer before on
};

class TlsContexts;

/// Takes connections and gives requests to a handler. HTTP/1.0 and 1.1, keep-alive, pipelining.
class HttpServer {
 public:
  /// `handler` is called by `threads` threads of the server, and `answered` once for each request that was answered,
  /// those that no handler has seen included. With `tls` connections of TCP are of TLS.
  HttpServer(HttpHandler handler, const HttpLimits& limits, int threads, RequestAnswered answered = nullptr,
             std::shared_ptr<TlsContexts> tls = nullptr);
  /// Cuts all connections.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  /// Takes the connections of a socket. Returns its port, 0 for Unix sockets.
  uint16_t listen(ListeningSocket socket);
  /// Takes no further connections, lets responses say that the connection closes, and returns when all requests under
  /// way were answered, or at `end` whatever is under way. True if nothing was.
  bool drain(std::chrono::steady_clock::time_point end);

  /// Ends its threads: no handler is called afterwards. Responses may still be given, to nobody.
  void stop();

  size_t connections() const;
  size_t under_way() const;  ///< requests

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace coracle::serve
