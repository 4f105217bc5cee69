// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

/// A client of few lines that shares nothing with the server.
namespace coracle::serve::test {

class HttpClient {
 public:
  struct Answer {
    int status = 0;
    std::string body;
  };

  /// Connects to 127.0.0.1, with TLS if asked to (whoever the server is).
  explicit HttpClient(uint16_t port, bool tls = false) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval limit{.tv_sec = 60, .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    connected_ = ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
    if (!tls || !connected_) return;
    context_.reset(SSL_CTX_new(TLS_client_method()));
    tls_.reset(SSL_new(context_.get()));
    SSL_set_fd(tls_.get(), socket_);
    connected_ = SSL_connect(tls_.get()) == 1;
  }
  ~HttpClient() { ::close(socket_); }
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  bool connected() const { return connected_; }

  bool send(const std::string& bytes) {
    size_t sent = 0;
    while (connected_ && sent < bytes.size()) {
      const long n = tls_ != nullptr ? SSL_write(tls_.get(), bytes.data() + sent, static_cast<int>(bytes.size() - sent))
                                     : ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (n <= 0) return false;
      sent += static_cast<size_t>(n);
    }
    return connected_;
  }
  /// More bytes behind those that were received; false at the end of the connection.
  bool receive(std::string& received) {
    char part[4096];
    const long n = tls_ != nullptr ? SSL_read(tls_.get(), part, sizeof(part)) : ::recv(socket_, part, sizeof(part), 0);
    if (n <= 0) return false;
    received.append(part, static_cast<size_t>(n));
    return true;
  }
  /// Nothing where the connection ended before an answer.
  std::optional<Answer> answer() {
    size_t head = std::string::npos;
    while ((head = received_.find("\r\n\r\n")) == std::string::npos) {
      if (!receive(received_)) return std::nullopt;
    }
    const size_t length = received_.find("Content-Length: ");
    if (length >= head) throw std::runtime_error("an answer without Content-Length: " + received_.substr(0, head));
    const size_t end = head + 4 + std::strtoul(received_.c_str() + length + 16, nullptr, 10);
    while (received_.size() < end) {
      if (!receive(received_)) return std::nullopt;
    }
    Answer answer{std::atoi(received_.c_str() + 9), received_.substr(head + 4, end - head - 4)};
    received_.erase(0, end);
    return answer;
  }
  std::optional<Answer> ask(const std::string& method, const std::string& path, const std::string& body = {}) {
    const bool sent =
        send(method + ' ' + path + " HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body.size()) +
             "\r\n\r\n" + body);
    return sent ? answer() : std::nullopt;
  }

 private:
  struct Free {
    void operator()(SSL* tls) const { SSL_free(tls); }
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  };
  int socket_;
  bool connected_ = false;
  std::unique_ptr<SSL_CTX, Free> context_;
  std::unique_ptr<SSL, Free> tls_;
  std::string received_;
};

}  // namespace coracle::serve::test
