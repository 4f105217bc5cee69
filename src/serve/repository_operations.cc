// SPDX-License-Identifier: Apache-2.0
#include "serve/repository_operations.h"

#include <utility>

#include "client/element.h"
#include "serve/current_failure.h"
#include "serve/infer_call.h"

namespace coracle::serve {
namespace {

std::vector<TensorMetadata> metadata_of(const std::vector<coracle::TensorInfo>& infos) {
  std::vector<TensorMetadata> tensors;
  for (const coracle::TensorInfo& info : infos) {
    TensorMetadata& tensor = tensors.emplace_back(TensorMetadata{info.name, client::datatype_of(info.dtype), {}});
    for (const int64_t d : info.dims) tensor.shape.push_back(d < 0 ? -1 : d);
  }
  return tensors;
}

}  // namespace

bool RepositoryOperations::ready() const { return readiness_.started && !readiness_.stopping && repository_.ready(); }

bool RepositoryOperations::model_ready(const std::string& name, const std::string& version) const {
  try {
    return repository_.find(name, version) != nullptr && !readiness_.stopping;
  } catch (const Failure& failure) {
    if (failure.code() == Code::kUnavailable) return false;
    throw;
  }
}

ServerMetadata RepositoryOperations::server_metadata() const {
  return {
      .name = "coracle",
      .version = coracle_version(),
      .extensions = {"binary_tensor_data", "model_configuration", "model_repository", "schedule_policy", "statistics"}};
}

ModelMetadata RepositoryOperations::model_metadata(const std::string& name, const std::string& version) const {
  const std::shared_ptr<ServedModel> model = repository_.find(name, version);
  return {.name = model->name(),
          .versions = repository_.versions(name),
          .platform = model->config().platform,
          .inputs = metadata_of(model->inputs()),
          .outputs = metadata_of(model->outputs())};
}

ModelConfig RepositoryOperations::model_config(const std::string& name, const std::string& version) const {
  return repository_.find(name, version)->config();
}

std::vector<std::shared_ptr<ServedModel>> RepositoryOperations::models(const std::string& name,
                                                                       const std::string& version) const {
  if (name.empty()) return repository_.loaded();
  std::vector<std::shared_ptr<ServedModel>> models;
  if (version.empty()) {
    for (const std::string& loaded : repository_.versions(name)) models.push_back(repository_.find(name, loaded));
  }
  if (models.empty()) models.push_back(repository_.find(name, version));  // or says why there is none
  return models;
}

std::vector<ModelStatistics> RepositoryOperations::statistics(const std::string& name,
                                                              const std::string& version) const {
  std::vector<ModelStatistics> all;
  for (const std::shared_ptr<ServedModel>& model : models(name, version))
    all.push_back({model->name(), std::to_string(model->version()), model->statistics().counts()});
  return all;
}

std::vector<IndexEntry> RepositoryOperations::index(bool ready_only) const {
  std::vector<IndexEntry> index = repository_.index();
  if (ready_only) std::erase_if(index, [](const IndexEntry& entry) { return entry.state != "READY"; });
  return index;
}

void RepositoryOperations::change(const std::string& name, bool load,
                                  std::function<void(std::optional<Failure>)> done) {
  if (!control_) {
    throw Failure(
        Code::kUnavailable,
        "clients may not load and unload models here; the server's option --model-control explicit allows it");
  }
  repository_.later([this, name, load, done = std::move(done)] {
    std::optional<Failure> failure;
    try {
      load ? repository_.load(name) : repository_.unload(name);
    } catch (const std::exception&) {
      failure = current_failure();
    }
    done(std::move(failure));
  });
}

Cancel RepositoryOperations::infer(const std::string& name, const std::string& version, InferRequest request,
                                   const Answered& answered) {
  const Clock::time_point received = Clock::now();
  return start_inference(repository_.find(name, version), std::move(request), received, answered);
}

}  // namespace coracle::serve
