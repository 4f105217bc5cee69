// SPDX-License-Identifier: Apache-2.0
#include "serve/grpc/rpc_server.h"
#include "serve/grpc_module.h"

namespace {

std::unique_ptr<coracle::serve::GrpcServer> make_server(coracle::serve::ModelOperations& operations,
                                                        const coracle::serve::GrpcOptions& options) {
  return std::make_unique<coracle::serve::RpcServer>(operations, options);
}

}  // namespace

extern "C" {
extern __attribute__((visibility("default"))) const coracle::serve::GrpcModule coracle_serve_grpc;
const coracle::serve::GrpcModule coracle_serve_grpc = {CORACLE_SERVE_BUILD, make_server};
}
