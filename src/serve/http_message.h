// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <string>
#include <string_view>

#include "serve/http.h"

/// Messages between what reads and writes them (Boost.Beast) and what handles them.
namespace coracle::serve {

using Message = boost::beast::http::request<boost::beast::http::string_body>;

/// A request; HEAD is GET. Throws Failure where its body has a coding that it cannot have, or more bytes than `limit`
/// without it.
HttpRequest request_of(Message&& message, const std::string& peer, size_t limit);

/// What a response needs to know of its request.
struct ResponseForm {
  std::string accept_encoding;
  unsigned version = 11;  ///< of HTTP
  bool closes = false;
};

/// The head of a response, whose body gets a coding where the client accepts one and it saves bytes.
std::string prepare_response(HttpResponse& response, const ResponseForm& form);

}  // namespace coracle::serve
