// SPDX-License-Identifier: Apache-2.0
#include "serve/http_server.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <condition_variable>
#include <list>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "serve/content_coding.h"

namespace coracle::serve {
namespace {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using beast::error_code;
using Protocol = net::generic::stream_protocol;
using Stream = beast::basic_stream<Protocol, net::strand<net::io_context::executor_type>>;

/// Bodies from this size on are read with a buffer of it: reads of a few hundred bytes take most of the time otherwise.
constexpr size_t kReadBuffer = size_t{256} << 10;
/// Of connections that wait for a request.
constexpr size_t kIdleBuffer = size_t{4} << 10;

/// Removes the socket that a server which has ended left behind; nothing else.
void remove_left_socket(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0 || !S_ISSOCK(status.st_mode)) return;
  net::io_context io;
  net::local::stream_protocol::socket socket(io);
  error_code failed;
  socket.connect(net::local::stream_protocol::endpoint(path), failed);
  if (failed == net::error::connection_refused) ::unlink(path.c_str());
}

std::string reason_phrase(unsigned status) { return std::string(http::obsolete_reason(http::int_to_status(status))); }

}  // namespace

/// What connections share.
struct Shared {
  HttpHandler handler;
  Answered answered;
  HttpLimits limits;
  std::atomic<bool> draining{false};
  std::atomic<size_t> connections{0};
  std::mutex mutex;
  std::condition_variable changed;
  size_t under_way = 0;  // requests
};

/// A request counts as under way while it lives.
class UnderWay {
 public:
  explicit UnderWay(Shared& shared) : shared_(shared) {
    const std::lock_guard lock(shared_.mutex);
    ++shared_.under_way;
  }
  ~UnderWay() {
    const std::lock_guard lock(shared_.mutex);
    --shared_.under_way;
    shared_.changed.notify_all();
  }
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;

 private:
  Shared& shared_;
};

namespace {

/// One connection, whose requests are answered one after the other. All of it runs on the strand of its stream.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Protocol::socket socket, net::io_context& io, std::shared_ptr<Shared> shared, std::string peer)
      : stream_(net::make_strand(io)), shared_(std::move(shared)), peer_(std::move(peer)) {
    // The stream's socket belongs to its strand.
    const auto protocol = socket.local_endpoint().protocol();
    stream_.socket().assign(protocol, socket.release());
    ++shared_->connections;
  }
  ~Connection() { --shared_->connections; }

  void start() {
    net::dispatch(stream_.get_executor(), [self = shared_from_this()] { self->wait_for_request(); });
  }

 private:
  using Parser = http::request_parser<http::string_body>;

  void wait_for_request() {
    if (buffer_.size() == 0) buffer_.shrink_to_fit();
    parser_.emplace();
    parser_->header_limit(static_cast<uint32_t>(shared_->limits.header_bytes));
    parser_->body_limit(shared_->limits.body_bytes);
    stream_.expires_after(requests_ == 0 ? shared_->limits.header_time : shared_->limits.idle_time);
    buffer_.reserve(kIdleBuffer);
    http::async_read_header(stream_, buffer_, *parser_,
                            [self = shared_from_this()](error_code e, size_t) { self->on_header(e); });
  }

  void on_header(error_code e) {
    if (e == http::error::end_of_stream || e == net::error::connection_reset) return close();
    record();
    if (e == http::error::header_limit)
      return refuse(431, "the header has more bytes than the limit of " + std::to_string(shared_->limits.header_bytes));
    if (e == http::error::body_limit) return refuse_body();
    if (e == beast::error::timeout)
      return parser_->got_some() ? refuse(408, "the request did not arrive in time") : close();
    if (e) return parser_->got_some() ? refuse(400, "the request is not HTTP: " + e.message()) : close();
    const auto length = parser_->content_length();
    if (length && *length > shared_->limits.body_bytes) return refuse_body();
    if (length && *length > kIdleBuffer) {
      buffer_.reserve(std::min<size_t>(kReadBuffer, static_cast<size_t>(*length)));
    } else if (parser_->chunked()) {
      buffer_.reserve(kReadBuffer);
    }
    stream_.expires_after(shared_->limits.body_time);
    if (beast::iequals(parser_->get()[http::field::expect], "100-continue")) {
      static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
      net::async_write(stream_, net::buffer(kContinue), [self = shared_from_this()](error_code failed, size_t) {
        failed ? self->close() : self->read_body();
      });
      return;
    }
    read_body();
  }

  /// From here on the request is one that is watched.
  void record() {
    constexpr size_t kLongest = 4096;
    record_ = std::make_shared<RequestRecord>();
    record_->peer = peer_;
    record_->method = std::string(parser_->get().method_string());
    const std::string_view target(parser_->get().target().data(), parser_->get().target().size());
    record_->path = target.substr(0, std::min(target.find('?'), kLongest));
  }

  void refuse_body() {
    refuse(413, "the body has more bytes than the limit of " + std::to_string(shared_->limits.body_bytes));
  }

  void read_body() {
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](error_code e, size_t) { self->on_body(e); });
  }

  void on_body(error_code e) {
    if (e == http::error::body_limit) return refuse_body();
    if (e == beast::error::timeout) return refuse(408, "the request did not arrive in time");
    if (e) return e == http::error::partial_message ? close() : refuse(400, "the request is not HTTP: " + e.message());
    ++requests_;
    under_way_.emplace(*shared_);
    Parser::value_type message = parser_->release();
    parser_.reset();
    keep_alive_ = message.keep_alive();
    head_ = message.method() == http::verb::head;
    accept_encoding_ = std::string(message[http::field::accept_encoding]);
    version_ = message.version();
    HttpRequest request;
    request.method = std::string(head_ ? beast::string_view("GET") : message.method_string());
    const std::string_view target(message.target().data(), message.target().size());
    const size_t query = target.find('?');
    request.path = target.substr(0, query);
    if (query != std::string_view::npos) request.query = target.substr(query + 1);
    for (const auto& field : message) request.headers.emplace_back(field.name_string(), field.value());
    request.peer = peer_;
    request.record = record_;
    record_->bytes_in = message.body().size();
    try {
      const std::string_view coding = request.header("Content-Encoding");
      std::string body = std::move(message.body());
      if (!coding.empty()) body = decoded(coding, body, shared_->limits.body_bytes);
      request.body = std::make_shared<const std::string>(std::move(body));
    } catch (const Failure& failure) {
      return respond(error_response(failure));
    }
    stream_.expires_never();
    watch();
    const uint64_t number = ++handled_;
    Cancel cancel = shared_->handler(request, [self = shared_from_this(), number](HttpResponse response) {
      net::post(self->stream_.get_executor(), [self, number, response = std::move(response)]() mutable {
        if (number == self->handled_) self->respond(std::move(response));
      });
    });
    cancel_ = std::move(cancel);
  }

  /// Sees a client that hangs up while its request is worked on.
  void watch() {
    stream_.socket().async_wait(net::socket_base::wait_read, [self = shared_from_this()](error_code e) {
      if (e || !self->cancel_) return;
      char byte = 0;
      if (::recv(self->stream_.socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0) self->cancel_();
    });
  }

  void respond(HttpResponse response) {
    cancel_ = nullptr;
    error_code ignored;
    stream_.socket().cancel(ignored);
    const bool closes = !keep_alive_ || shared_->draining.load();
    if (response.parts.empty()) {
      if (const std::string coding = chosen_coding(accept_encoding_, response.body.size()); !coding.empty()) {
        response.body = encoded(coding, response.body);
        response.headers.emplace_back("Content-Encoding", coding);
      }
    }
    size_t bytes = response.body.size();
    for (const HttpPart& part : response.parts) bytes += part.bytes;
    std::string head = "HTTP/1.1 " + std::to_string(response.status) + ' ' + reason_phrase(response.status) + "\r\n";
    const auto add = [&](std::string_view name, std::string_view value) {
      head.append(name).append(": ").append(value).append("\r\n");
    };
    if (!response.content_type.empty()) add("Content-Type", response.content_type);
    add("Content-Length", std::to_string(bytes));
    if (closes) {
      add("Connection", "close");
    } else if (version_ == 10) {
      add("Connection", "keep-alive");
    }
    for (const auto& [name, value] : response.headers) add(name, value);
    head += "\r\n";
    head_text_ = std::move(head);
    response_ = std::move(response);
    std::vector<net::const_buffer> buffers{net::buffer(head_text_)};
    if (!head_) {
      buffers.emplace_back(response_.body.data(), response_.body.size());
      for (const HttpPart& part : response_.parts) buffers.emplace_back(part.data, part.bytes);
    }
    stream_.expires_after(shared_->limits.write_time);
    record_->status = response_.status;
    net::async_write(stream_, buffers, [self = shared_from_this(), closes](error_code e, size_t written) {
      self->tell_answered(written);
      self->response_ = {};
      self->under_way_.reset();
      e || closes ? self->close() : self->wait_for_request();
    });
  }

  void tell_answered(size_t written) {
    record_->bytes_out = written - std::min(written, head_text_.size());
    record_->end = Clock::now();
    if (shared_->answered != nullptr) shared_->answered(std::move(record_));
  }

  /// Answers what was not read to its end, and closes.
  void refuse(unsigned status, const std::string& message) {
    HttpResponse response = error_response(Failure(Code::kInvalidArgument, message));
    response.status = status;
    keep_alive_ = false;
    accept_encoding_.clear();
    if (!under_way_.has_value()) under_way_.emplace(*shared_);
    respond(std::move(response));
  }

  void close() {
    error_code ignored;
    stream_.socket().shutdown(net::socket_base::shutdown_send, ignored);
    stream_.close();
  }

  Stream stream_;
  const std::shared_ptr<Shared> shared_;
  const std::string peer_;
  beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  std::optional<UnderWay> under_way_;
  std::string head_text_;
  HttpResponse response_;
  std::shared_ptr<RequestRecord> record_;
  std::string accept_encoding_;
  Cancel cancel_;
  uint64_t requests_ = 0;
  uint64_t handled_ = 0;
  unsigned version_ = 11;
  bool keep_alive_ = true;
  bool head_ = false;
};

}  // namespace

class HttpServer::Impl {
 public:
  Impl(HttpHandler handler, const HttpLimits& limits, int threads, Answered answered)
      : shared_(std::make_shared<Shared>()) {
    shared_->handler = std::move(handler);
    shared_->answered = std::move(answered);
    shared_->limits = limits;
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  }
  ~Impl() {
    stop();
    for (const std::string& path : unix_paths_) ::unlink(path.c_str());
  }

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

  uint16_t listen(const std::string& address, uint16_t port) {
    constexpr std::string_view kUnix = "unix:";
    try {
      if (address.starts_with(kUnix)) {
        const std::string path = address.substr(kUnix.size());
        remove_left_socket(path);
        accept(std::make_shared<net::local::stream_protocol::acceptor>(net::make_strand(io_),
                                                                       net::local::stream_protocol::endpoint(path)));
        unix_paths_.push_back(path);
        return 0;
      }
      auto acceptor = std::make_shared<net::ip::tcp::acceptor>(
          net::make_strand(io_), net::ip::tcp::endpoint(net::ip::make_address(address), port));
      const uint16_t bound = acceptor->local_endpoint().port();
      accept(std::move(acceptor));
      return bound;
    } catch (const boost::system::system_error& e) {
      throw Failure(Code::kUnavailable, "cannot listen on " + address +
                                            (address.starts_with(kUnix) ? "" : " port " + std::to_string(port)) + ": " +
                                            e.code().message());
    }
  }

  void stop() {
    io_.stop();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  bool drain(std::chrono::steady_clock::time_point end) {
    shared_->draining = true;
    for (const auto& close : closers_) close();
    std::unique_lock lock(shared_->mutex);
    return shared_->changed.wait_until(lock, end, [&] { return shared_->under_way == 0; });
  }

  size_t connections() const { return shared_->connections; }
  size_t under_way() const {
    const std::lock_guard lock(shared_->mutex);
    return shared_->under_way;
  }

 private:
  template <class Acceptor>
  void accept(std::shared_ptr<Acceptor> acceptor) {
    closers_.emplace_back([this, acceptor] {
      net::post(acceptor->get_executor(), [acceptor] {
        error_code ignored;
        acceptor->close(ignored);
      });
    });
    accept_next(std::move(acceptor));
  }

  template <class Acceptor>
  void accept_next(std::shared_ptr<Acceptor> acceptor) {
    Acceptor& listening = *acceptor;
    listening.async_accept([this, acceptor = std::move(acceptor)](error_code e, auto socket) mutable {
      if (e == net::error::operation_aborted) return;
      try {
        if (!e && shared_->connections < shared_->limits.connections) start(std::move(socket));
      } catch (const std::exception&) {  // the connection is gone already, or there is no memory for it
        e = {};
      }
      if (e == net::error::no_descriptors) {  // until others close
        auto timer = std::make_shared<net::steady_timer>(acceptor->get_executor(), std::chrono::milliseconds(50));
        timer->async_wait([this, timer, acceptor](error_code) mutable { accept_next(std::move(acceptor)); });
        return;
      }
      accept_next(std::move(acceptor));
    });
  }

  template <class Socket>
  void start(Socket socket) {
    error_code failed;
    std::string peer = "unix";
    if constexpr (std::is_same_v<typename Socket::protocol_type, net::ip::tcp>) {
      socket.set_option(net::ip::tcp::no_delay(true), failed);
      const auto endpoint = socket.remote_endpoint(failed);
      if (failed) return;
      peer = endpoint.address().to_string() + ':' + std::to_string(endpoint.port());
    }
    std::make_shared<Connection>(Protocol::socket(std::move(socket)), io_, shared_, std::move(peer))->start();
  }

  net::io_context io_;
  net::executor_work_guard<net::io_context::executor_type> work_{io_.get_executor()};
  const std::shared_ptr<Shared> shared_;
  std::vector<std::function<void()>> closers_;
  std::vector<std::string> unix_paths_;
  std::vector<std::thread> threads_;
};

HttpServer::HttpServer(HttpHandler handler, const HttpLimits& limits, int threads, Answered answered)
    : impl_(std::make_unique<Impl>(std::move(handler), limits, threads, std::move(answered))) {}
HttpServer::~HttpServer() = default;
uint16_t HttpServer::listen(const std::string& address, uint16_t port) { return impl_->listen(address, port); }
bool HttpServer::drain(std::chrono::steady_clock::time_point end) { return impl_->drain(end); }
void HttpServer::stop() { impl_->stop(); }
size_t HttpServer::connections() const { return impl_->connections(); }
size_t HttpServer::under_way() const { return impl_->under_way(); }

}  // namespace coracle::serve
