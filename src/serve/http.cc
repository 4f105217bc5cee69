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
