// SPDX-License-Identifier: Apache-2.0
#include "serve/grpc/rpc_context.h"

#include <string_view>
#include <utility>

#include "serve/token.h"

namespace coracle::serve {

void RpcContext::authorize(const grpc::CallbackServerContext& call) const {
  const auto found = call.client_metadata().find("authorization");
  const bool given = found != call.client_metadata().end();
  check_token(given ? std::string_view(found->second.data(), found->second.size()) : std::string_view(), options.token);
}

void RpcContext::enter() {
  const std::lock_guard lock(mutex_);
  if (calls_ >= options.calls) {
    throw Failure(Code::kResourceExhausted, "the server has " + std::to_string(calls_) +
                                                " calls under way, which is its limit (--max-connections)");
  }
  ++calls_;
}

void RpcContext::leave() {
  const std::lock_guard lock(mutex_);
  --calls_;
}

size_t RpcContext::under_way() const {
  const std::lock_guard lock(mutex_);
  return calls_;
}

void RpcContext::add(OpenStream& stream) {
  const std::lock_guard lock(mutex_);
  streams_.insert(&stream);
  if (ending_) stream.end();
}

void RpcContext::remove(OpenStream& stream) {
  const std::lock_guard lock(mutex_);
  streams_.erase(&stream);
}

void RpcContext::end_streams() {
  const std::lock_guard lock(mutex_);
  ending_ = true;
  for (OpenStream* const stream : streams_) stream->end();
}

std::optional<Clock::time_point> deadline_of(const grpc::CallbackServerContext& call) {
  if (gpr_time_cmp(call.raw_deadline(), gpr_inf_future(call.raw_deadline().clock_type)) == 0) return std::nullopt;
  constexpr std::chrono::hours kLongest{24};
  const std::chrono::system_clock::duration left = call.deadline() - std::chrono::system_clock::now();
  return Clock::now() + std::min<std::chrono::system_clock::duration>(left, kLongest);
}

void CancelOnce::set(Cancel cancel) {
  const std::lock_guard lock(mutex_);
  cancel_ = std::move(cancel);
  if (cancelled_ && cancel_) cancel_();
}

void CancelOnce::cancel() {
  const std::lock_guard lock(mutex_);
  cancelled_ = true;
  if (cancel_) cancel_();
}

}  // namespace coracle::serve
