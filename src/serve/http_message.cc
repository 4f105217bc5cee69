// SPDX-License-Identifier: Apache-2.0
#include "serve/http_message.h"

#include <boost/beast/http/status.hpp>
#include <utility>

#include "serve/content_coding.h"

namespace coracle::serve {
namespace {

namespace http = boost::beast::http;

std::string reason_phrase(unsigned status) { return std::string(http::obsolete_reason(http::int_to_status(status))); }

}  // namespace

HttpRequest request_of(Message&& message, const std::string& peer, size_t limit, BodyMemory& memory) {
  HttpRequest request;
  request.method = message.method() == http::verb::head ? "GET" : std::string(message.method_string());
  const std::string_view target(message.target().data(), message.target().size());
  const size_t query = target.find('?');
  request.path = target.substr(0, query);
  if (query != std::string_view::npos) request.query = target.substr(query + 1);
  for (const auto& field : message) request.headers.emplace_back(field.name_string(), field.value());
  request.peer = peer;
  const std::string_view coding = request.header("Content-Encoding");
  std::string body = std::move(message.body());
  if (!coding.empty()) {
    body = decoded(coding, body, limit);
    memory.add(body.size());
  }
  request.body = memory.keep(std::move(body));
  return request;
}

std::string prepare_response(HttpResponse& response, const ResponseForm& form) {
  if (response.parts.empty()) {
    if (const std::string coding = chosen_coding(form.accept_encoding, response.body.size()); !coding.empty()) {
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
  if (response.status != 304) add("Content-Length", std::to_string(bytes));
  if (form.closes) {
    add("Connection", "close");
  } else if (form.version == 10) {
    add("Connection", "keep-alive");
  }
  for (const auto& [name, value] : response.headers) add(name, value);
  return head += "\r\n";
}

}  // namespace coracle::serve
