// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "serve/model_operations.h"
#include "serve/request_record.h"
#include "serve/tls.h"

/// gRPC, which needs 50 libraries, is a module of its own (libcoracle_serve_grpc.so) that the program loads when it is
/// there. Both come from one build, and what they say to each other is C++.
namespace coracle::serve {

/// What a new connection needs for TLS; another object whenever the files have changed.
using TlsSource = std::function<std::shared_ptr<const TlsPem>()>;

struct GrpcOptions {
  std::string token;  ///< what "authorization: Bearer" must have; empty: nothing
  size_t message_bytes = size_t{64} << 20;
  size_t calls = 1000;  ///< at the same time; one stream is one call
  TlsSource tls;        ///< null: there is no TLS
  RequestBegan began;   ///< of each call
  RequestAnswered ended;
};

/// Listens on ports and answers calls with operations on models.
class GrpcServer {
 public:
  /// Cuts all calls.
  virtual ~GrpcServer() = default;
  /// Once. Returns the port; 0 asks for any that is free. Throws Failure (kUnavailable) with what to do.
  virtual uint16_t listen(const std::string& address, uint16_t port) = 0;
  /// Takes no further calls, and returns when all under way were answered, or cuts them off at `end`. True if there was
  /// none to cut off.
  virtual bool drain(std::chrono::steady_clock::time_point end) = 0;
};

/// What the module has under the name `coracle_serve_grpc`.
struct GrpcModule {
  const char* build;  ///< CORACLE_SERVE_BUILD of the module
  std::unique_ptr<GrpcServer> (*make_server)(ModelOperations& operations, const GrpcOptions& options);
};

/// The module of this build, from beside the program or from where it is installed; null where it is not. Throws
/// Failure for one that cannot be loaded or is of another build.
const GrpcModule* load_grpc_module();
/// What to do about a module that is not there.
std::string no_grpc_module();

}  // namespace coracle::serve
