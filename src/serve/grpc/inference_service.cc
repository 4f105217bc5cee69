// SPDX-License-Identifier: Apache-2.0
#include "serve/grpc/inference_service.h"

#include "serve/grpc/infer_calls.h"
#include "serve/grpc/rpc_record.h"
#include "serve/grpc/rpc_status.h"

namespace coracle::serve {
namespace {

std::string path_of(const char* method) { return std::string("/inference.GRPCInferenceService/") + method; }

inference::DataType data_type(coracle_dtype dtype) {
  switch (dtype) {
    case CORACLE_BOOL: return inference::TYPE_BOOL;
    case CORACLE_INT8: return inference::TYPE_INT8;
    case CORACLE_INT16: return inference::TYPE_INT16;
    case CORACLE_INT32: return inference::TYPE_INT32;
    case CORACLE_INT64: return inference::TYPE_INT64;
    case CORACLE_UINT8: return inference::TYPE_UINT8;
    case CORACLE_FLOAT16: return inference::TYPE_FP16;
    case CORACLE_BFLOAT16: return inference::TYPE_BF16;
    case CORACLE_FLOAT32: return inference::TYPE_FP32;
    case CORACLE_FLOAT64: return inference::TYPE_FP64;
    default: return inference::TYPE_INVALID;
  }
}

template <class Tensors>
void write_metadata(const std::vector<TensorMetadata>& tensors, Tensors* message) {
  for (const TensorMetadata& tensor : tensors) {
    auto* const added = message->Add();
    added->set_name(tensor.name);
    added->set_datatype(tensor.datatype);
    for (const int64_t d : tensor.shape) added->add_shape(d);
  }
}

template <class Tensors>
void write_config(const std::vector<TensorConfig>& tensors, Tensors* message) {
  for (const TensorConfig& tensor : tensors) {
    auto* const added = message->Add();
    added->set_name(tensor.name);
    added->set_data_type(data_type(tensor.dtype));
    for (const int64_t d : tensor.dims) added->add_dims(d < 0 ? -1 : d);
  }
}

void write_duration(const Duration& duration, inference::StatisticDuration* message) {
  message->set_count(duration.count);
  message->set_ns(duration.ns);
}

void write_statistics(const Counts& counts, inference::ModelStatistics& message) {
  message.set_last_inference(static_cast<uint64_t>(counts.last_inference_ms));
  message.set_inference_count(counts.inference_count);
  message.set_execution_count(counts.execution_count);
  inference::InferStatistics& stats = *message.mutable_inference_stats();
  write_duration(counts.success, stats.mutable_success());
  write_duration(counts.fail, stats.mutable_fail());
  write_duration(counts.queue, stats.mutable_queue());
  write_duration(counts.compute_input, stats.mutable_compute_input());
  write_duration(counts.compute_infer, stats.mutable_compute_infer());
  write_duration(counts.compute_output, stats.mutable_compute_output());
  write_duration({}, stats.mutable_cache_hit());
  write_duration({}, stats.mutable_cache_miss());
  for (const auto& [rows, runs] : counts.batches) {
    inference::InferBatchStatistics& batch = *message.add_batch_stats();
    batch.set_batch_size(static_cast<uint64_t>(rows));
    batch.mutable_compute_infer()->set_count(runs);
  }
}

}  // namespace

/// Ends a call with how `work` ends.
template <class Request, class Response, class Work>
grpc::ServerUnaryReactor* InferenceService::finish_after(Call* call, const char* method, const Request& request,
                                                         const Response& response, const Work& work) {
  RpcRecord record(context_, *call, path_of(method), request.ByteSizeLong());
  record.add_trace(*call);
  const grpc::Status status = status_after(work);
  record.answered(status.error_code(), status.ok() ? response.ByteSizeLong() : 0);
  Reactor* const reactor = call->DefaultReactor();
  reactor->Finish(status);
  return reactor;
}

using Reactor = grpc::ServerUnaryReactor;

Reactor* InferenceService::ServerLive(Call* call, const inference::ServerLiveRequest* request,
                                      inference::ServerLiveResponse* response) {
  return finish_after(call, "ServerLive", *request, *response, [&] { response->set_live(true); });
}

Reactor* InferenceService::ServerReady(Call* call, const inference::ServerReadyRequest* request,
                                       inference::ServerReadyResponse* response) {
  return finish_after(call, "ServerReady", *request, *response,
                      [&] { response->set_ready(context_.operations.ready()); });
}

Reactor* InferenceService::ModelReady(Call* call, const inference::ModelReadyRequest* request,
                                      inference::ModelReadyResponse* response) {
  return finish_after(call, "ModelReady", *request, *response, [&] {
    context_.authorize(*call);
    response->set_ready(context_.operations.model_ready(request->name(), request->version()));
  });
}

Reactor* InferenceService::ServerMetadata(Call* call, const inference::ServerMetadataRequest* request,
                                          inference::ServerMetadataResponse* response) {
  return finish_after(call, "ServerMetadata", *request, *response, [&] {
    context_.authorize(*call);
    const serve::ServerMetadata metadata = context_.operations.server_metadata();
    response->set_name(metadata.name);
    response->set_version(metadata.version);
    for (const std::string& extension : metadata.extensions) response->add_extensions(extension);
  });
}

Reactor* InferenceService::ModelMetadata(Call* call, const inference::ModelMetadataRequest* request,
                                         inference::ModelMetadataResponse* response) {
  return finish_after(call, "ModelMetadata", *request, *response, [&] {
    context_.authorize(*call);
    const serve::ModelMetadata metadata = context_.operations.model_metadata(request->name(), request->version());
    response->set_name(metadata.name);
    for (const std::string& version : metadata.versions) response->add_versions(version);
    response->set_platform(metadata.platform);
    write_metadata(metadata.inputs, response->mutable_inputs());
    write_metadata(metadata.outputs, response->mutable_outputs());
  });
}

Reactor* InferenceService::ModelConfig(Call* call, const inference::ModelConfigRequest* request,
                                       inference::ModelConfigResponse* response) {
  return finish_after(call, "ModelConfig", *request, *response, [&] {
    context_.authorize(*call);
    const serve::ModelConfig config = context_.operations.model_config(request->name(), request->version());
    const BatchOptions& batching = config.batching;
    inference::ModelConfig& message = *response->mutable_config();
    message.set_name(config.name);
    message.set_platform(config.platform);
    if (config.platform != kEnsemblePlatform) message.set_backend("coracle");
    message.set_max_batch_size(static_cast<int32_t>(batching.max_batch_size));
    write_config(config.inputs, message.mutable_input());
    write_config(config.outputs, message.mutable_output());
    if (config.dynamic_batching) {
      inference::ModelDynamicBatching& dynamic = *message.mutable_dynamic_batching();
      for (const int64_t size : batching.preferred_batch_size)
        dynamic.add_preferred_batch_size(static_cast<int32_t>(size));
      dynamic.set_max_queue_delay_microseconds(static_cast<uint64_t>(batching.max_queue_delay.count()));
      dynamic.set_preserve_ordering(batching.preserve_ordering);
      dynamic.set_priority_levels(batching.priority_levels);
      dynamic.set_default_priority_level(batching.default_priority_level);
    }
    for (const EnsembleStep& step : config.ensemble) {
      inference::ModelEnsembling::Step& added = *message.mutable_ensemble_scheduling()->add_step();
      added.set_model_name(step.model);
      added.set_model_version(step.version.empty() ? -1 : std::stoll(step.version));
      added.mutable_input_map()->insert(step.inputs.begin(), step.inputs.end());
      added.mutable_output_map()->insert(step.outputs.begin(), step.outputs.end());
    }
    for (const auto& [name, value] : config.parameters) (*message.mutable_parameters())[name].set_string_value(value);
  });
}

Reactor* InferenceService::ModelStatistics(Call* call, const inference::ModelStatisticsRequest* request,
                                           inference::ModelStatisticsResponse* response) {
  return finish_after(call, "ModelStatistics", *request, *response, [&] {
    context_.authorize(*call);
    for (const serve::ModelStatistics& model : context_.operations.statistics(request->name(), request->version())) {
      inference::ModelStatistics& message = *response->add_model_stats();
      message.set_name(model.name);
      message.set_version(model.version);
      write_statistics(model.counts, message);
    }
  });
}

Reactor* InferenceService::RepositoryIndex(Call* call, const inference::RepositoryIndexRequest* request,
                                           inference::RepositoryIndexResponse* response) {
  return finish_after(call, "RepositoryIndex", *request, *response, [&] {
    context_.authorize(*call);
    for (const IndexEntry& entry : context_.operations.index(request->ready())) {
      auto& message = *response->add_models();
      message.set_name(field_text(entry.name));
      message.set_version(entry.version);
      message.set_state(entry.state);
      message.set_reason(field_text(entry.reason));
    }
  });
}

Reactor* InferenceService::RepositoryModelLoad(Call* call, const inference::RepositoryModelLoadRequest* request,
                                               inference::RepositoryModelLoadResponse*) {
  return change(call, "RepositoryModelLoad", request->model_name(), true);
}

Reactor* InferenceService::RepositoryModelUnload(Call* call, const inference::RepositoryModelUnloadRequest* request,
                                                 inference::RepositoryModelUnloadResponse*) {
  return change(call, "RepositoryModelUnload", request->model_name(), false);
}

Reactor* InferenceService::change(Call* call, const char* method, const std::string& model, bool load) {
  Reactor* const reactor = call->DefaultReactor();
  const auto record = std::make_shared<RpcRecord>(context_, *call, path_of(method), model.size());
  record->add_trace(*call);
  const auto finish = [reactor, record](const grpc::Status& status) {
    record->answered(status.error_code(), 0);
    reactor->Finish(status);
  };
  const grpc::Status status = status_after([&] {
    context_.authorize(*call);
    context_.operations.change(model, load, [finish](const std::optional<Failure>& failure) {
      finish(failure.has_value() ? status_of(*failure) : grpc::Status::OK);
    });
  });
  if (!status.ok()) finish(status);
  return reactor;
}

Reactor* InferenceService::ModelInfer(Call* call, const grpc::ByteBuffer* request, grpc::ByteBuffer* response) {
  // The buffer is gRPC's for this call alone, and nobody else reads it: its bytes are freed once they were parsed.
  return start_infer(context_, *call, const_cast<grpc::ByteBuffer&>(*request), *response);
}

grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* InferenceService::ModelStreamInfer(Call* call) {
  return start_stream(context_, *call);
}

}  // namespace coracle::serve
