// SPDX-License-Identifier: Apache-2.0
#include "serve/router.h"

#include <algorithm>
#include <new>
#include <utility>

#include "coracle/coracle.hpp"

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

/// Takes as long whatever the first difference is.
bool same_secret(std::string_view a, std::string_view b) {
  unsigned different = a.size() == b.size() ? 0 : 1;
  for (size_t i = 0; i < a.size(); ++i) {
    const char other = b.empty() ? '\0' : b[i % b.size()];
    different |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(other);
  }
  return different == 0;
}

Failure loading_failure(const coracle::Exception& e) {
  switch (e.status()) {
    case CORACLE_OUT_OF_MEMORY: return {Code::kUnavailable, e.what()};
    case CORACLE_UNSUPPORTED: return {Code::kUnsupported, e.what()};
    default: return {Code::kInvalidArgument, e.what()};
  }
}

}  // namespace

void Router::check_token(const HttpRequest& request) const {
  if (options_.token.empty()) return;
  constexpr std::string_view kBearer = "Bearer ";
  const std::string_view given = request.header("Authorization");
  if (given.starts_with(kBearer) && same_secret(given.substr(kBearer.size()), options_.token)) return;
  throw Failure(Code::kUnauthenticated, "the server needs the header 'Authorization: Bearer TOKEN' with its token");
}

Cancel Router::dispatch(const HttpRequest& request, const Respond& respond) {
  const Path path = parts_of(request.path);
  if (std::none_of(services_.begin(), services_.end(), [&](const auto& s) { return s->open_to_all(path); }))
    check_token(request);
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
  } catch (const Failure& failure) {
    with_headers(error_response(failure));
  } catch (const coracle::Exception& e) {
    with_headers(error_response(loading_failure(e)));
  } catch (const std::bad_alloc&) {
    with_headers(error_response({Code::kUnavailable, "the server has not the memory for this request now"}));
  } catch (const std::exception& e) {
    with_headers(error_response({Code::kInternal, e.what()}));
  }
  return nullptr;
}

}  // namespace coracle::serve
