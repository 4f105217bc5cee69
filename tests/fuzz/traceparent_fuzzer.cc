// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "serve/trace_context.h"

// Any bytes as the header traceparent: nothing, or a place in a trace that can be passed on.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace coracle::serve;
  auto context = parse_traceparent({reinterpret_cast<const char*>(data), size});
  if (!context.has_value()) return 0;
  context->span_id = context->parent_id;
  const auto again = parse_traceparent(traceparent_of(*context));
  if (!again.has_value() || again->trace_id != context->trace_id || again->parent_id != context->parent_id ||
      again->sampled != context->sampled)
    std::abort();
  return 0;
}
