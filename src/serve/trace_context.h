// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace coracle::serve {

/// The place of a request in a trace, in the digits of W3C's header traceparent
/// (https://www.w3.org/TR/trace-context/). Empty: there is none.
struct TraceContext {
  std::string trace_id;   ///< 32 hexadecimal digits
  std::string parent_id;  ///< 16, the client's span; empty: the trace begins here
  std::string span_id;    ///< 16, the request's own
  bool sampled = false;
};

/// What a client sends in traceparent, without a span of its own; nothing where it is not as the standard has it, which
/// then is to be ignored.
std::optional<TraceContext> parse_traceparent(std::string_view header);
/// With the request's span.
std::string traceparent_of(const TraceContext& context);
/// Hexadecimal digits of `bytes` random bytes, of which one is not 0.
std::string random_id(size_t bytes);

}  // namespace coracle::serve
