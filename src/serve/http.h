// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "serve/failure.h"
#include "serve/infer_request.h"

/// HTTP as the handlers of requests see it, whatever carries it.
namespace coracle::serve {

struct RequestRecord;

struct HttpRequest {
  std::string method;  ///< "GET"
  std::string path;    ///< "/v2/models/det/infer", without the query; not decoded
  std::string query;   ///< behind '?'
  std::vector<std::pair<std::string, std::string>> headers;
  std::shared_ptr<const std::string> body;  ///< without its content coding
  std::string peer;                         ///< who asks, for the access log
  std::shared_ptr<RequestRecord> record;    ///< for those who watch

  /// The value of a header, whose name is compared without case; empty where there is none.
  std::string_view header(std::string_view name) const;
};

/// Bytes of a body that somebody else keeps.
struct HttpPart {
  std::shared_ptr<const void> owner;
  const void* data = nullptr;
  size_t bytes = 0;
};

struct HttpResponse {
  unsigned status = 200;
  std::string content_type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};
  std::vector<HttpPart> parts = {};       ///< follow `body`
  std::shared_ptr<const void> kept = {};  ///< until it was sent
};

/// Throws Failure (kWrongMethod).
void require_method(const HttpRequest& request, std::string_view method);
/// Throws Failure (kNotFound).
[[noreturn]] void no_path(const HttpRequest& request);

/// {"error": "..."} with the status of the failure.
HttpResponse error_response(const Failure& failure);
HttpResponse json_response(std::string json);

/// Takes the response to a request; to be called once, by any thread.
using Respond = std::function<void(HttpResponse)>;
/// Answers requests. Does not throw. Called by several threads.
using HttpHandler = std::function<Cancel(const HttpRequest&, const Respond&)>;

}  // namespace coracle::serve
