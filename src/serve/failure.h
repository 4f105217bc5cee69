// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace coracle::serve {

/// Why a request is answered with an error, as clients of all protocols tell them apart.
enum class Code : uint8_t {
  kInvalidArgument,
  kUnauthenticated,
  kNotFound,
  kWrongMethod,
  kTimeout,   ///< the client took too long to send its request
  kTooLarge,  ///< a limit of the server on what one request may have
  kUnsupported,
  kResourceExhausted,  ///< too many requests wait
  kUnavailable,        ///< the server or the model is not ready, or has not the memory now
  kDeadlineExceeded,
  kCancelled,
  kInternal,
};

/// The status of HTTP that says so.
constexpr unsigned http_status(Code code) {
  switch (code) {
    case Code::kInvalidArgument: return 400;
    case Code::kUnauthenticated: return 401;
    case Code::kNotFound: return 404;
    case Code::kWrongMethod: return 405;
    case Code::kTimeout: return 408;
    case Code::kTooLarge: return 413;
    case Code::kUnsupported: return 501;
    case Code::kResourceExhausted:
    case Code::kUnavailable: return 503;
    case Code::kDeadlineExceeded: return 504;
    case Code::kCancelled: return 499;
    case Code::kInternal: return 500;
  }
  return 500;
}

/// What ends the work on a request. The message is for the client's author: what was expected, and what was found.
class Failure : public std::runtime_error {
 public:
  Failure(Code code, const std::string& message) : std::runtime_error(message), code_(code) {}
  Code code() const noexcept { return code_; }

 private:
  Code code_;
};

}  // namespace coracle::serve
