// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

#include <atomic>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "serve/body_memory.h"
#include "serve/http_message.h"
#include "serve/http_server.h"
#include "serve/request_record.h"

/// A connection of the server; http_server.cc alone includes this.
namespace coracle::serve {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using beast::error_code;
using Protocol = net::generic::stream_protocol;
using Strand = net::strand<net::io_context::executor_type>;
using Socket = net::basic_stream_socket<Protocol, Strand>;
using PlainStream = beast::basic_stream<Protocol, Strand>;
using TlsStream = beast::ssl_stream<PlainStream>;

/// What connections share.
struct Shared {
  HttpHandler handler;
  RequestAnswered answered;
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

/// One connection, whose requests are answered one after the other. All of it runs on the strand of its stream.
template <class Stream>
class Connection : public std::enable_shared_from_this<Connection<Stream>> {
 public:
  /// `context` is TLS's, for a TlsStream.
  template <class... Context>
  Connection(Socket socket, std::shared_ptr<Shared> shared, std::string peer, Context&... context)
      : stream_(std::move(socket), context...),
        next_look_(lowest().get_executor()),
        shared_(std::move(shared)),
        peer_(std::move(peer)),
        memory_(shared_->limits.memory) {
    ++shared_->connections;
  }
  ~Connection() { --shared_->connections; }

  void start() {
    net::dispatch(lowest().get_executor(), [self = this->shared_from_this()] {
      if constexpr (kTls) {
        self->handshake();
      } else {
        self->wait_for_request();
      }
    });
  }

 private:
  using Parser = http::request_parser<http::string_body>;
  static constexpr bool kTls = std::is_same_v<Stream, TlsStream>;
  /// Bodies from this size on are read with a buffer of it: reads of a few hundred bytes take most of the time
  /// otherwise.
  static constexpr size_t kReadBuffer = size_t{256} << 10;
  /// Of connections that wait for a request.
  static constexpr size_t kIdleBuffer = size_t{4} << 10;
  static constexpr std::chrono::milliseconds kBetweenLooks{100};
  static constexpr std::chrono::seconds kGoodbye{1};

  PlainStream& lowest() { return beast::get_lowest_layer(stream_); }

  void handshake() {
    lowest().expires_after(shared_->limits.header_time);
    stream_.async_handshake(net::ssl::stream_base::server, [self = this->shared_from_this()](error_code e) {
      e ? self->hang_up() : self->wait_for_request();
    });
  }

  void wait_for_request() {
    if (buffer_.size() == 0) buffer_.shrink_to_fit();
    parser_.emplace();
    memory_.clear();
    parser_->header_limit(static_cast<uint32_t>(shared_->limits.header_bytes));
    parser_->body_limit(shared_->limits.body_bytes);
    lowest().expires_after(requests_ == 0 ? shared_->limits.header_time : shared_->limits.idle_time);
    buffer_.reserve(kIdleBuffer);
    http::async_read_header(stream_, buffer_, *parser_,
                            [self = this->shared_from_this()](error_code e, size_t) { self->on_header(e); });
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
    if (length && !reserve(static_cast<size_t>(*length))) return;
    lowest().expires_after(shared_->limits.body_time);
    if (beast::iequals(parser_->get()[http::field::expect], "100-continue")) {
      static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
      net::async_write(stream_, net::buffer(kContinue), [self = this->shared_from_this()](error_code failed, size_t) {
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

  /// Counts bytes of the body in the server's memory. False where there are not so many, which is answered.
  bool reserve(size_t bytes) {
    try {
      memory_.add(bytes);
      return true;
    } catch (const Failure& failure) {
      refuse(http_status(failure.code()), failure.what());
      return false;
    }
  }

  void read_body() {
    if (!parser_->chunked()) {
      return http::async_read(stream_, buffer_, *parser_,
                              [self = this->shared_from_this()](error_code e, size_t) { self->on_body(e); });
    }
    // Its size is not known before its end.
    http::async_read_some(stream_, buffer_, *parser_, [self = this->shared_from_this()](error_code e, size_t) {
      if (e || self->parser_->is_done()) return self->on_body(e);
      const size_t more = self->parser_->get().body().size() - self->memory_.bytes();
      if (more == 0 || self->reserve(more)) self->read_body();
    });
  }

  void on_body(error_code e) {
    if (e == http::error::body_limit) return refuse_body();
    if (e == beast::error::timeout) return refuse(408, "the request did not arrive in time");
    if (e) return e == http::error::partial_message ? close() : refuse(400, "the request is not HTTP: " + e.message());
    ++requests_;
    under_way_.emplace(*shared_);
    Message message = parser_->release();
    parser_.reset();
    keep_alive_ = message.keep_alive();
    head_ = message.method() == http::verb::head;
    form_.accept_encoding = std::string(message[http::field::accept_encoding]);
    form_.version = message.version();
    HttpRequest request;
    record_->bytes_in = message.body().size();
    try {
      request = request_of(std::move(message), peer_, shared_->limits.body_bytes, memory_);
    } catch (const Failure& failure) {
      return respond(error_response(failure));
    }
    request.record = record_;
    lowest().expires_never();
    watch();
    const uint64_t number = ++handled_;
    Cancel cancel = shared_->handler(request, [self = this->shared_from_this(), number](HttpResponse response) {
      net::post(self->lowest().get_executor(), [self, number, response = std::move(response)]() mutable {
        if (number == self->handled_) self->respond(std::move(response));
      });
    });
    cancel_ = std::move(cancel);
  }

  /// Sees a client that hangs up while its request is worked on. What else it sends (its next request, the end of TLS)
  /// stays unread, so that the socket is looked at again from time to time.
  void watch() {
    lowest().socket().async_wait(net::socket_base::wait_read, [self = this->shared_from_this()](error_code e) {
      if (e || !self->cancel_) return;
      pollfd socket{self->lowest().socket().native_handle(), POLLRDHUP, 0};
      if (::poll(&socket, 1, 0) > 0) return self->cancel_();
      self->next_look_.expires_after(kBetweenLooks);
      self->next_look_.async_wait([self](error_code cancelled) {
        if (!cancelled && self->cancel_) self->watch();
      });
    });
  }

  void respond(HttpResponse response) {
    cancel_ = nullptr;
    error_code ignored;
    lowest().socket().cancel(ignored);
    next_look_.cancel();
    form_.closes = !keep_alive_ || shared_->draining.load();
    head_text_ = prepare_response(response, form_);
    response_ = std::move(response);
    std::vector<net::const_buffer> buffers{net::buffer(head_text_)};
    if (!head_) {
      buffers.emplace_back(response_.body.data(), response_.body.size());
      for (const HttpPart& part : response_.parts) buffers.emplace_back(part.data, part.bytes);
    }
    lowest().expires_after(shared_->limits.write_time);
    record_->status = response_.status;
    net::async_write(stream_, buffers, [self = this->shared_from_this()](error_code e, size_t written) {
      self->tell_answered(written);
      self->response_ = {};
      self->under_way_.reset();
      if (!e && self->refused_) return self->close_after_reading();
      e || self->form_.closes ? self->close() : self->wait_for_request();
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
    refused_ = true;
    memory_.clear();
    parser_.reset();
    form_.accept_encoding.clear();
    if (!under_way_.has_value()) under_way_.emplace(*shared_);
    respond(std::move(response));
  }

  /// Reads what the client still sends, which would not read the answer before that was taken.
  void close_after_reading() {
    if constexpr (kTls) {
      close();
    } else {
      error_code ignored;
      lowest().socket().shutdown(net::socket_base::shutdown_send, ignored);
      buffer_.clear();
      lowest().expires_after(shared_->limits.linger_time);
      drop_rest();
    }
  }
  void drop_rest() {
    stream_.async_read_some(buffer_.prepare(kIdleBuffer), [self = this->shared_from_this()](error_code e, size_t) {
      e ? self->hang_up() : self->drop_rest();
    });
  }

  /// TLS says goodbye, so that the client knows that nothing was cut off.
  void close() {
    if constexpr (kTls) {
      lowest().expires_after(kGoodbye);
      stream_.async_shutdown([self = this->shared_from_this()](error_code) { self->hang_up(); });
    } else {
      hang_up();
    }
  }

  void hang_up() {
    error_code ignored;
    lowest().socket().shutdown(net::socket_base::shutdown_send, ignored);
    lowest().close();
  }

  Stream stream_;
  net::steady_timer next_look_;  // at a client that has sent something while its request is worked on
  const std::shared_ptr<Shared> shared_;
  const std::string peer_;
  beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  std::optional<UnderWay> under_way_;
  std::string head_text_;
  HttpResponse response_;
  std::shared_ptr<RequestRecord> record_;
  ResponseForm form_;
  Cancel cancel_;
  BodyMemory memory_;
  uint64_t requests_ = 0;
  uint64_t handled_ = 0;
  bool keep_alive_ = true;
  bool refused_ = false;  // what the client has sent was not read to its end
  bool head_ = false;
};

}  // namespace coracle::serve
