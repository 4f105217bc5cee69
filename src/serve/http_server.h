// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "serve/http.h"
#include "serve/request_record.h"

namespace coracle::serve {

/// What clients may ask of the server, so that none can take it from the others.
struct HttpLimits {
  size_t header_bytes = size_t{16} << 10;
  size_t body_bytes = size_t{64} << 20;  ///< after its content coding was undone, too
  size_t connections = 1000;
  std::chrono::milliseconds header_time{10'000};  ///< for the head of the first request, from the connection on
  std::chrono::milliseconds body_time{60'000};
  std::chrono::milliseconds write_time{60'000};
  std::chrono::milliseconds idle_time{75'000};  ///< for the heads of further ones, from the answer before on
};

/// Listens on addresses and gives requests to a handler. HTTP/1.0 and 1.1, keep-alive, pipelining.
class HttpServer {
 public:
  /// `handler` is called by `threads` threads of the server, and `answered` once for each request that was answered,
  /// those that no handler has seen included.
  HttpServer(HttpHandler handler, const HttpLimits& limits, int threads, Answered answered = nullptr);
  /// Cuts all connections.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  /// On a port of an address ("127.0.0.1", "::1"; port 0: any that is free), or on a Unix socket ("unix:/run/x.sock").
  /// Returns the port, 0 for Unix sockets. Throws Failure (kUnavailable) with what to do.
  uint16_t listen(const std::string& address, uint16_t port);
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
