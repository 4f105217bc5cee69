// SPDX-License-Identifier: Apache-2.0
#include "serve/grpc/rpc_server.h"

#include <grpc/support/log.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>

#include <cstdlib>

#include "serve/grpc/rpc_tls.h"

namespace coracle::serve {

RpcServer::RpcServer(ModelOperations& operations, const GrpcOptions& options)
    : context_(operations, options), inference_(context_), health_(context_) {
  // What clients do wrong is told to them; who looks for a mistake asks gRPC for its log.
  if (std::getenv("GRPC_VERBOSITY") == nullptr) gpr_set_log_function([](gpr_log_func_args*) {});
}

RpcServer::~RpcServer() {
  if (server_ != nullptr) drain(Clock::now());
}

uint16_t RpcServer::listen(const std::string& address, uint16_t port) {
  constexpr int kKeepAliveMs = 60'000;
  constexpr int kKeepAliveTimeoutMs = 20'000;
  const std::string host = address.find(':') == std::string::npos ? address : '[' + address + ']';
  int bound = 0;
  credentials_ =
      context_.options.tls != nullptr ? tls_credentials(context_.options.tls) : grpc::InsecureServerCredentials();
  grpc::ServerBuilder builder;
  builder.AddListeningPort(host + ':' + std::to_string(port), credentials_, &bound);
  builder.RegisterService(&inference_);
  builder.RegisterService(&health_);
  builder.SetMaxReceiveMessageSize(static_cast<int>(context_.options.message_bytes));
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);  // two servers on one port would share its clients
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, static_cast<int>(context_.options.calls));
  // Connections of clients that are gone end.
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepAliveMs);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepAliveTimeoutMs);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  // gRPC limits the size of what arrives, not of what that is once unpacked.
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_DEFLATE, false);
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_GZIP, false);
  server_ = builder.BuildAndStart();
  if (server_ == nullptr || bound == 0) {
    throw Failure(Code::kUnavailable, "cannot listen on " + address + " port " + std::to_string(port) +
                                          " for gRPC: the port is in use, or the address is not one of this machine; "
                                          "--grpc-port names another port or is off");
  }
  return static_cast<uint16_t>(bound);
}

bool RpcServer::drain(std::chrono::steady_clock::time_point end) {
  context_.end_streams();
  const bool idle = context_.under_way() == 0;
  const auto left = std::chrono::duration_cast<std::chrono::system_clock::duration>(end - Clock::now());
  server_->Shutdown(std::chrono::system_clock::now() + left);
  return idle || Clock::now() < end;
}

}  // namespace coracle::serve
