// SPDX-License-Identifier: Apache-2.0
#include "serve/http_server.h"

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <thread>
#include <vector>

#include "serve/connection.h"
#include "serve/tls.h"

namespace coracle::serve {

class HttpServer::Impl {
 public:
  Impl(HttpHandler handler, const HttpLimits& limits, int threads, RequestAnswered answered,
       std::shared_ptr<TlsContexts> tls)
      : shared_(std::make_shared<Shared>()), tls_(std::move(tls)) {
    shared_->handler = std::move(handler);
    shared_->answered = std::move(answered);
    shared_->limits = limits;
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  }
  ~Impl() { stop(); }

  uint16_t listen(ListeningSocket socket) {
    const uint16_t port = socket.port();
    const auto listening = std::make_shared<Listening>(std::move(socket), net::make_strand(io_));
    listening_.push_back(listening);
    accept_next(listening);
    return port;
  }

  void stop() {
    io_.stop();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  bool drain(std::chrono::steady_clock::time_point end) {
    shared_->draining = true;
    for (const std::shared_ptr<Listening>& listening : listening_) {
      net::post(listening->acceptor.get_executor(), [listening] {
        error_code ignored;
        listening->acceptor.close(ignored);
      });
    }
    std::unique_lock lock(shared_->mutex);
    return shared_->changed.wait_until(lock, end, [&] { return shared_->under_way == 0; });
  }

  size_t connections() const { return shared_->connections; }
  size_t under_way() const {
    const std::lock_guard lock(shared_->mutex);
    return shared_->under_way;
  }

 private:
  struct Listening {
    ListeningSocket socket;
    net::basic_socket_acceptor<Protocol, Strand> acceptor;

    Listening(ListeningSocket given, const Strand& strand) : socket(std::move(given)), acceptor(strand) {
      acceptor.assign(Protocol(socket.family(), 0), socket.release());
    }
  };

  /// What is thrown ends the connection that it was for, no other.
  void work() {
    while (!io_.stopped()) {
      try {
        io_.run();
      } catch (const std::exception&) {
        continue;
      }
    }
  }

  void accept_next(const std::shared_ptr<Listening>& listening) {
    listening->acceptor.async_accept(net::make_strand(io_), [this, listening](error_code e, Socket socket) {
      if (e == net::error::operation_aborted || !listening->acceptor.is_open()) return;
      try {
        if (!e && shared_->connections < shared_->limits.connections) start(std::move(socket), listening->socket);
      } catch (const std::exception&) {  // there is no memory for the connection, which is closed
      }
      if (e) {  // there is no descriptor for it, until others close
        const auto timer = std::make_shared<net::steady_timer>(io_, std::chrono::milliseconds(50));
        timer->async_wait([this, timer, listening](error_code) {
          net::post(listening->acceptor.get_executor(), [this, listening] { accept_next(listening); });
        });
        return;
      }
      accept_next(listening);
    });
  }

  void start(Socket socket, const ListeningSocket& listening) {
    std::string peer = "unix";
    if (listening.is_tcp()) {
      error_code failed;
      socket.set_option(net::ip::tcp::no_delay(true), failed);
      sockaddr_storage address{};
      socklen_t bytes = sizeof(address);
      if (::getpeername(socket.native_handle(), reinterpret_cast<sockaddr*>(&address), &bytes) != 0) return;
      peer = address_name(address, bytes);
    }
    if (tls_ == nullptr || !listening.is_tcp()) {
      std::make_shared<Connection<PlainStream>>(std::move(socket), shared_, std::move(peer))->start();
      return;
    }
    // The stream keeps what it needs of the context.
    const std::shared_ptr<net::ssl::context> context = tls_->current();
    std::make_shared<Connection<TlsStream>>(std::move(socket), shared_, std::move(peer), *context)->start();
  }

  net::io_context io_;
  net::executor_work_guard<net::io_context::executor_type> work_{io_.get_executor()};
  const std::shared_ptr<Shared> shared_;
  const std::shared_ptr<TlsContexts> tls_;
  std::vector<std::shared_ptr<Listening>> listening_;
  std::vector<std::thread> threads_;
};

HttpServer::HttpServer(HttpHandler handler, const HttpLimits& limits, int threads, RequestAnswered answered,
                       std::shared_ptr<TlsContexts> tls)
    : impl_(std::make_unique<Impl>(std::move(handler), limits, threads, std::move(answered), std::move(tls))) {}
HttpServer::~HttpServer() = default;
uint16_t HttpServer::listen(ListeningSocket socket) { return impl_->listen(std::move(socket)); }
bool HttpServer::drain(std::chrono::steady_clock::time_point end) { return impl_->drain(end); }
void HttpServer::stop() { impl_->stop(); }
size_t HttpServer::connections() const { return impl_->connections(); }
size_t HttpServer::under_way() const { return impl_->under_way(); }

}  // namespace coracle::serve
