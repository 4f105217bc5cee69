// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

namespace coracle::serve {

struct HttpUrl {
  std::string host;  ///< an IPv6 address without brackets
  std::string port;
  std::string target;  ///< "/v1/traces"
};

/// Of "http://HOST[:PORT][/PATH]". Throws Failure (kInvalidArgument), for https too.
HttpUrl parse_http_url(const std::string& url);

/// Posts over a connection of its own and returns the status of the answer. Throws Failure (kUnavailable) where there
/// is none within `time`.
unsigned http_post(const HttpUrl& url, const std::string& content_type, const std::string& body,
                   std::chrono::milliseconds time);

}  // namespace coracle::serve
