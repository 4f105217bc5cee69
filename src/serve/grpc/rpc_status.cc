// SPDX-License-Identifier: Apache-2.0
#include "serve/grpc/rpc_status.h"

namespace coracle::serve {
namespace {

/// Clients take 8 KiB of metadata, in which a byte that is not ASCII takes three.
constexpr size_t kLongestMessage = 2048;

/// The length of the character of UTF-8 at `position`; 0 where there is none.
size_t utf8_length(const std::string& text, size_t position) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned first = byte(position);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xC2 && first < 0xE0 ? 2 : first >= 0xE0 && first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
  if (first < 0xC2 || length == 0) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(position + i) & 0xC0U) != 0x80) return 0;
  }
  const unsigned second = byte(position + 1);  // without overlong forms, surrogates and what is beyond U+10FFFF
  const bool fits = (first != 0xE0 || second >= 0xA0) && (first != 0xED || second < 0xA0) &&
                    (first != 0xF0 || second >= 0x90) && (first != 0xF4 || second < 0x90);
  return fits ? length : 0;
}

}  // namespace

grpc::StatusCode status_code(Code code) {
  switch (code) {
    case Code::kInvalidArgument: return grpc::StatusCode::INVALID_ARGUMENT;
    case Code::kUnauthenticated: return grpc::StatusCode::UNAUTHENTICATED;
    case Code::kNotFound: return grpc::StatusCode::NOT_FOUND;
    case Code::kWrongMethod:
    case Code::kUnsupported: return grpc::StatusCode::UNIMPLEMENTED;
    case Code::kTooLarge:
    case Code::kResourceExhausted: return grpc::StatusCode::RESOURCE_EXHAUSTED;
    case Code::kUnavailable: return grpc::StatusCode::UNAVAILABLE;
    case Code::kTimeout:
    case Code::kDeadlineExceeded: return grpc::StatusCode::DEADLINE_EXCEEDED;
    case Code::kCancelled: return grpc::StatusCode::CANCELLED;
    case Code::kInternal: break;
  }
  return grpc::StatusCode::INTERNAL;
}

grpc::Status status_of(const Failure& failure) {
  return {status_code(failure.code()), field_text(std::string(failure.what()).substr(0, kLongestMessage))};
}

std::string field_text(const std::string& text) {
  std::string result;
  for (size_t i = 0; i < text.size();) {
    const size_t length = utf8_length(text, i);
    result += length == 0 ? std::string("?") : text.substr(i, length);
    i += std::max<size_t>(length, 1);
  }
  return result;
}

}  // namespace coracle::serve
