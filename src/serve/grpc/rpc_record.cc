// SPDX-License-Identifier: Apache-2.0
#include "serve/grpc/rpc_record.h"

#include <string_view>

#include "serve/grpc_status.h"

namespace coracle::serve {
namespace {

/// "127.0.0.1:41000" of "ipv4:127.0.0.1:41000", "[::1]:41000" of "ipv6:%5B::1%5D:41000".
std::string peer_address(std::string peer) {
  for (const auto& [code, character] : {std::pair{"%5B", '['}, std::pair{"%5D", ']'}}) {
    if (const size_t at = peer.find(code); at != std::string::npos) peer.replace(at, 3, 1, character);
  }
  return peer.starts_with("ipv4:") || peer.starts_with("ipv6:") ? peer.substr(5) : peer;
}

}  // namespace

RpcRecord::RpcRecord(const RpcContext& context, const grpc::CallbackServerContext& call, const std::string& path,
                     size_t bytes_in)
    : ended_(context.options.ended) {
  record_->peer = peer_address(call.peer());
  record_->method = "POST";
  record_->path = path;
  record_->bytes_in = bytes_in;
  answered(grpc::StatusCode::CANCELLED, 0);
  const auto found = call.client_metadata().find("traceparent");
  const bool given = found != call.client_metadata().end();
  traceparent_ = context.options.began(
      *record_, given ? std::string_view(found->second.data(), found->second.size()) : std::string_view());
}

RpcRecord::~RpcRecord() {
  record_->end = Clock::now();
  ended_(record_);
}

void RpcRecord::answered(grpc::StatusCode status, size_t bytes_out) {
  record_->grpc_status = static_cast<uint8_t>(status);
  record_->status = grpc_status(static_cast<size_t>(status)).http;
  record_->bytes_out = bytes_out;
}

void RpcRecord::add_trace(grpc::CallbackServerContext& call) const {
  if (!traceparent_.empty()) call.AddInitialMetadata("traceparent", traceparent_);
}

}  // namespace coracle::serve
