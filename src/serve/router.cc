// SPDX-License-Identifier: Apache-2.0
#include "serve/router.h"

#include <algorithm>
#include <utility>

#include "serve/current_failure.h"
#include "serve/token.h"

namespace coracle::serve {
namespace {

constexpr size_t kMaxPath = 4096;

int hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// The parts of a path between slashes, with their %XX resolved. Throws Failure.
Path parts_of(std::string_view path) {
  if (path.size() > kMaxPath || !path.starts_with('/')) throw Failure(Code::kNotFound, "there is no such path");
  Path parts;
  path.remove_prefix(1);
  while (!path.empty()) {
    const size_t end = std::min(path.find('/'), path.size());
    std::string part;
    for (size_t i = 0; i < end; ++i) {
      if (path[i] != '%') {
        part += path[i];
        continue;
      }
      const int high = i + 1 < end ? hex(path[i + 1]) : -1;
      const int low = i + 2 < end ? hex(path[i + 2]) : -1;
      if (high < 0 || low < 0) throw Failure(Code::kInvalidArgument, "the path has a % without two hexadecimal digits");
      part += static_cast<char>(high * 16 + low);
      i += 2;
    }
    parts.push_back(std::move(part));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return parts;
}

}  // namespace

Cancel Router::dispatch(const HttpRequest& request, const Respond& respond) {
  const Path path = parts_of(request.path);
  if (std::none_of(services_.begin(), services_.end(), [&](const auto& s) { return s->open_to_all(path); }))
    check_token(request.header("Authorization"), options_.token);
  for (const std::unique_ptr<Service>& service : services_) {
    if (std::optional<Cancel> cancel = service->handle(request, path, respond)) return std::move(*cancel);
  }
  no_path(request);
}

Cancel Router::handle(const HttpRequest& request, const Respond& respond) {
  const Respond with_headers = [this, respond](HttpResponse response) {
    if (!options_.allow_origin.empty())
      response.headers.emplace_back("Access-Control-Allow-Origin", options_.allow_origin);
    response.headers.emplace_back("X-Content-Type-Options", "nosniff");
    respond(std::move(response));
  };
  try {
    return dispatch(request, with_headers);
  } catch (const std::exception&) {
    with_headers(error_response(current_failure()));
  }
  return nullptr;
}

}  // namespace coracle::serve
