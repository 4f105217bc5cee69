// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include "serve/grpc/rpc_context.h"

/// The calls that run models. Messages are bytes here (infer_message.h).
namespace coracle::serve {

/// ModelInfer. `request` and `response` stay until the call is done.
grpc::ServerUnaryReactor* start_infer(RpcContext& context, grpc::CallbackServerContext& call, grpc::ByteBuffer& request,
                                      grpc::ByteBuffer& response);

/// ModelStreamInfer: requests run at the same time, and are answered in their order; one that fails ends no other.
grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* start_stream(RpcContext& context,
                                                                          grpc::CallbackServerContext& call);

}  // namespace coracle::serve
