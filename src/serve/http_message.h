// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <string>
#include <string_view>

#include "serve/body_memory.h"
#include "serve/http.h"

/// Messages between what reads and writes them (Boost.Beast) and what handles them.
namespace coracle::serve {

using Message = boost::beast::http::request<boost::beast::http::string_body>;

/// A request; HEAD is GET. Its body counts in `memory`, which has counted what was received, and then keeps that part
/// of it. Throws Failure where the body has a coding that it cannot have, or more bytes than `limit` or than there is
/// memory for without it.
HttpRequest request_of(Message&& message, const std::string& peer, size_t limit, BodyMemory& memory);

/// What a response needs to know of its request.
struct ResponseForm {
  std::string accept_encoding;
  unsigned version = 11;  ///< of HTTP
  bool closes = false;
};

/// The head of a response, whose body gets a coding where the client accepts one and it saves bytes.
std::string prepare_response(HttpResponse& response, const ResponseForm& form);

}  // namespace coracle::serve
