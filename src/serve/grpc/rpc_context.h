// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/server_context.h>

#include <cstddef>
#include <mutex>
#include <optional>
#include <set>

#include "serve/grpc_module.h"

namespace coracle::serve {

/// A stream, which ends by itself when the client ends it.
class OpenStream {
 public:
  virtual ~OpenStream() = default;
  /// Answers what was asked so far, then ends. Called by any thread, more than once.
  virtual void end() = 0;
};

/// What all calls share. For any number of threads.
class RpcContext {
 public:
  RpcContext(ModelOperations& operations, GrpcOptions options) : operations(operations), options(std::move(options)) {}

  ModelOperations& operations;
  const GrpcOptions options;

  /// Throws Failure: the client has not the token.
  void authorize(const grpc::CallbackServerContext& call) const;
  /// A call begins, and ends when `leave` is called. Throws Failure: there are too many.
  void enter();
  void leave();
  size_t under_way() const;

  /// A stream that is to end when the server does; at once where it already does.
  void add(OpenStream& stream);
  void remove(OpenStream& stream);
  void end_streams();

 private:
  mutable std::mutex mutex_;
  size_t calls_ = 0;
  bool ending_ = false;
  std::set<OpenStream*> streams_;
};

/// The point in time up to which the client waits; nothing where it waits for ever.
std::optional<Clock::time_point> deadline_of(const grpc::CallbackServerContext& call);

/// Cancels work that is started while its call may already be cancelled.
class CancelOnce {
 public:
  void set(Cancel cancel);
  void cancel();

 private:
  std::mutex mutex_;
  bool cancelled_ = false;
  Cancel cancel_;
};

}  // namespace coracle::serve
