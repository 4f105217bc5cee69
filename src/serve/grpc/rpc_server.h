// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>

#include <memory>
#include <string>

#include "serve/grpc/health_service.h"
#include "serve/grpc/inference_service.h"
#include "serve/grpc/rpc_context.h"

namespace coracle::serve {

/// The services on their ports. A few threads of gRPC serve all calls, and none of them waits for a model.
class RpcServer : public GrpcServer {
 public:
  RpcServer(ModelOperations& operations, const GrpcOptions& options);
  ~RpcServer() override;
  RpcServer(const RpcServer&) = delete;
  RpcServer& operator=(const RpcServer&) = delete;

  uint16_t listen(const std::string& address, uint16_t port) override;
  bool drain(std::chrono::steady_clock::time_point end) override;

 private:
  RpcContext context_;
  InferenceService inference_;
  HealthService health_;
  std::shared_ptr<grpc::ServerCredentials> credentials_;
  std::unique_ptr<grpc::Server> server_;  // ends first
};

}  // namespace coracle::serve
