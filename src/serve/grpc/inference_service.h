// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "inference.grpc.pb.h"
#include "serve/grpc/rpc_context.h"

namespace coracle::serve {

namespace rpc_methods {
using Service = inference::GRPCInferenceService;
// Messages with tensors are bytes, so that tensors are not copied; gRPC reads and writes the others.
using Health = Service::WithCallbackMethod_ServerLive<
    Service::WithCallbackMethod_ServerReady<Service::WithCallbackMethod_ModelReady<Service::Service>>>;
using Description = Service::WithCallbackMethod_ServerMetadata<Service::WithCallbackMethod_ModelMetadata<
    Service::WithCallbackMethod_ModelConfig<Service::WithCallbackMethod_ModelStatistics<Health>>>>;
using Repository = Service::WithCallbackMethod_RepositoryIndex<
    Service::WithCallbackMethod_RepositoryModelLoad<Service::WithCallbackMethod_RepositoryModelUnload<Description>>>;
using All = Service::WithRawCallbackMethod_ModelInfer<Service::WithRawCallbackMethod_ModelStreamInfer<Repository>>;
}  // namespace rpc_methods

/// The Open Inference Protocol with Triton's extensions. What it does not have, gRPC answers with UNIMPLEMENTED.
class InferenceService : public rpc_methods::All {
 public:
  explicit InferenceService(RpcContext& context) : context_(context) {}

  using Call = grpc::CallbackServerContext;
  using Reactor = grpc::ServerUnaryReactor;
  Reactor* ServerLive(Call* call, const inference::ServerLiveRequest* request,
                      inference::ServerLiveResponse* response) override;
  Reactor* ServerReady(Call* call, const inference::ServerReadyRequest* request,
                       inference::ServerReadyResponse* response) override;
  Reactor* ModelReady(Call* call, const inference::ModelReadyRequest* request,
                      inference::ModelReadyResponse* response) override;
  Reactor* ServerMetadata(Call* call, const inference::ServerMetadataRequest* request,
                          inference::ServerMetadataResponse* response) override;
  Reactor* ModelMetadata(Call* call, const inference::ModelMetadataRequest* request,
                         inference::ModelMetadataResponse* response) override;
  Reactor* ModelConfig(Call* call, const inference::ModelConfigRequest* request,
                       inference::ModelConfigResponse* response) override;
  Reactor* ModelStatistics(Call* call, const inference::ModelStatisticsRequest* request,
                           inference::ModelStatisticsResponse* response) override;
  Reactor* RepositoryIndex(Call* call, const inference::RepositoryIndexRequest* request,
                           inference::RepositoryIndexResponse* response) override;
  Reactor* RepositoryModelLoad(Call* call, const inference::RepositoryModelLoadRequest* request,
                               inference::RepositoryModelLoadResponse* response) override;
  Reactor* RepositoryModelUnload(Call* call, const inference::RepositoryModelUnloadRequest* request,
                                 inference::RepositoryModelUnloadResponse* response) override;
  Reactor* ModelInfer(Call* call, const grpc::ByteBuffer* request, grpc::ByteBuffer* response) override;
  grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* ModelStreamInfer(Call* call) override;

 private:
  template <class Request, class Response, class Work>
  Reactor* finish_after(Call* call, const char* method, const Request& request, const Response& response,
                        const Work& work);
  Reactor* change(Call* call, const char* method, const std::string& model, bool load);

  RpcContext& context_;
};

}  // namespace coracle::serve
