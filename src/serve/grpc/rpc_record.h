// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/server_context.h>

#include <cstddef>
#include <memory>
#include <string>

#include "serve/grpc/rpc_context.h"
#include "serve/request_record.h"

namespace coracle::serve {

/// What becomes of a call, or of a request of a stream, for those who watch the server. They are told when it is gone,
/// which may be after the server of gRPC.
class RpcRecord {
 public:
  /// `path`: "/SERVICE/METHOD".
  RpcRecord(const RpcContext& context, const grpc::CallbackServerContext& call, const std::string& path,
            size_t bytes_in);
  ~RpcRecord();
  RpcRecord(const RpcRecord&) = delete;
  RpcRecord& operator=(const RpcRecord&) = delete;

  const std::shared_ptr<RequestRecord>& record() const { return record_; }
  /// How it ends; CANCELLED unless somebody says so. Before its answer is sent.
  void answered(grpc::StatusCode status, size_t bytes_out);
  /// Adds the place in the trace to what the client is answered, before anything was.
  void add_trace(grpc::CallbackServerContext& call) const;

 private:
  const std::shared_ptr<RequestRecord> record_ = std::make_shared<RequestRecord>();
  const RequestAnswered ended_;
  std::string traceparent_;
};

}  // namespace coracle::serve
