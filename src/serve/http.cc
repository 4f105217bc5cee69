// SPDX-License-Identifier: Apache-2.0
#include "serve/http.h"

#include <strings.h>

#include "base/json.h"

namespace coracle::serve {

std::string_view HttpRequest::header(std::string_view name) const {
  for (const auto& [own, value] : headers) {
    if (own.size() == name.size() && ::strncasecmp(own.data(), name.data(), name.size()) == 0) return value;
  }
  return {};
}

void require_method(const HttpRequest& request, std::string_view method) {
  if (request.method != method) {
    throw Failure(Code::kWrongMethod, request.path.substr(0, 255) + " is asked by " + std::string(method) +
                                          ", not by " + request.method.substr(0, 16));
  }
}

void no_path(const HttpRequest& request) {
  throw Failure(Code::kNotFound, "there is nothing at '" + request.path.substr(0, 255) + "'");
}

HttpResponse error_response(const Failure& failure) {
  HttpResponse response = json_response(internal::json_text([&](internal::JsonWriter& json) {
    json.StartObject();
    json.field("error", std::string_view(failure.what()));
    json.EndObject();
  }));
  response.status = http_status(failure.code());
  return response;
}

HttpResponse json_response(std::string json) {
  HttpResponse response;
  response.body = std::move(json);
  return response;
}

}  // namespace coracle::serve
