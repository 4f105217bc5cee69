// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "serve/http.h"

namespace coracle::serve {

/// The parts of a request's path between slashes, decoded.
using Path = std::vector<std::string>;

/// A part of what the server answers on its HTTP port: a protocol, or a page. For any number of threads.
class Service {
 public:
  virtual ~Service() = default;
  /// Answers a request to one of its paths, now or later. Nothing for a path of others, which is then not answered.
  /// Throws Failure, coracle::Exception and std::exception, which the router answers.
  virtual std::optional<Cancel> handle(const HttpRequest& request, const Path& path, const Respond& respond) = 0;
  /// Whoever has no token may ask for this path, which says nothing of models.
  virtual bool open_to_all(const Path&) const { return false; }
};

/// What health checks are told.
struct Readiness {
  std::atomic<bool> started{false};   ///< the models of the start were loaded, or are known not to load
  std::atomic<bool> stopping{false};  ///< requests are still answered, but others should come elsewhere
};

}  // namespace coracle::serve
