// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "health.grpc.pb.h"
#include "serve/grpc/rpc_context.h"

namespace coracle::serve {

/// grpc.health.v1: whether the server ("") and the inference service are ready. Needs no token.
class HealthService : public grpc::health::v1::Health::CallbackService {
 public:
  explicit HealthService(RpcContext& context) : context_(context) {}

  grpc::ServerUnaryReactor* Check(grpc::CallbackServerContext* call,
                                  const grpc::health::v1::HealthCheckRequest* request,
                                  grpc::health::v1::HealthCheckResponse* response) override;
  grpc::ServerWriteReactor<grpc::health::v1::HealthCheckResponse>* Watch(
      grpc::CallbackServerContext* call, const grpc::health::v1::HealthCheckRequest* request) override;

 private:
  RpcContext& context_;
};

}  // namespace coracle::serve
