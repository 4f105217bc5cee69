// SPDX-License-Identifier: Apache-2.0
#include "serve/http_client.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <charconv>
#include <string_view>

#include "serve/failure.h"

namespace coracle::serve {
namespace {

bool is_port(std::string_view text) {
  uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size() && port != 0;
}

}  // namespace

HttpUrl parse_http_url(const std::string& url) {
  constexpr std::string_view kHttp = "http://";
  const auto refuse = [&](const std::string& why) { throw Failure(Code::kInvalidArgument, "'" + url + "' " + why); };
  if (url.starts_with("https://")) refuse("is asked for TLS, which is not supported here: expected http://");
  if (!url.starts_with(kHttp)) refuse("is not http://HOST[:PORT][/PATH]");
  const std::string_view rest = std::string_view(url).substr(kHttp.size());
  const size_t slash = std::min(rest.find('/'), rest.size());
  std::string_view authority = rest.substr(0, slash);
  HttpUrl parsed{.host = {}, .port = "80", .target = slash == rest.size() ? "/" : std::string(rest.substr(slash))};
  size_t host_end = authority.rfind(':');
  if (authority.starts_with('[')) {
    const size_t bracket = authority.find(']');
    if (bracket == std::string_view::npos) refuse("has a [ without a ]");
    parsed.host = authority.substr(1, bracket - 1);
    host_end = bracket + 1 == authority.size() ? std::string_view::npos : bracket + 1;
  } else {
    parsed.host = authority.substr(0, host_end);
  }
  if (host_end != std::string_view::npos) {
    if (authority[host_end] != ':' || !is_port(authority.substr(host_end + 1))) refuse("has no port behind its host");
    parsed.port = authority.substr(host_end + 1);
  }
  for (const char c : url) {
    if (c <= ' ' || c == 127 || c == '@' || c == '#') refuse("has a character that is not for it");
  }
  if (parsed.host.empty()) refuse("has no host");
  return parsed;
}

unsigned http_post(const HttpUrl& url, const std::string& content_type, const std::string& body,
                   std::chrono::milliseconds time) {
  namespace asio = boost::asio;
  namespace http = boost::beast::http;
  using asio::ip::tcp;
  using boost::beast::error_code;

  asio::io_context io;
  tcp::resolver resolver(io);
  boost::beast::tcp_stream stream(io);
  boost::beast::flat_buffer buffer;
  http::request<http::string_body> request(http::verb::post, url.target, 11);
  request.set(http::field::host, url.host.find(':') == std::string::npos ? url.host : '[' + url.host + ']');
  request.set(http::field::content_type, content_type);
  request.set(http::field::connection, "close");
  request.body() = body;
  request.prepare_payload();
  http::response_parser<http::string_body> answer;
  answer.body_limit(size_t{64} << 10);

  error_code failed = asio::error::timed_out;
  stream.expires_after(time);
  const auto done = [&](error_code e, size_t) { failed = e; };
  const auto read = [&](error_code e, size_t) {
    e ? void(failed = e) : http::async_read(stream, buffer, answer, done);
  };
  const auto write = [&](error_code e, const tcp::endpoint&) {
    e ? void(failed = e) : http::async_write(stream, request, read);
  };
  resolver.async_resolve(url.host, url.port, [&](error_code e, const tcp::resolver::results_type& found) {
    e ? void(failed = e) : stream.async_connect(found, write);
  });
  io.run_for(time);
  if (failed)
    throw Failure(Code::kUnavailable, "http://" + url.host + ':' + url.port + url.target + ": " + failed.message());
  return answer.get().result_int();
}

}  // namespace coracle::serve
