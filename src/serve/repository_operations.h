// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "serve/model_operations.h"
#include "serve/repository.h"
#include "serve/service.h"

namespace coracle::serve {

/// The operations on the models of a repository.
class RepositoryOperations : public ModelOperations {
 public:
  /// `control`: clients may load and unload models. `repository` and `readiness` outlive it.
  RepositoryOperations(Repository& repository, const Readiness& readiness, bool control)
      : repository_(repository), readiness_(readiness), control_(control) {}

  bool ready() const override;
  bool model_ready(const std::string& name, const std::string& version) const override;
  ServerMetadata server_metadata() const override;
  ModelMetadata model_metadata(const std::string& name, const std::string& version) const override;
  ModelConfig model_config(const std::string& name, const std::string& version) const override;
  std::vector<ModelStatistics> statistics(const std::string& name, const std::string& version) const override;
  std::vector<IndexEntry> index(bool ready_only) const override;
  void change(const std::string& name, bool load, std::function<void(std::optional<Failure>)> done) override;
  Cancel infer(const std::string& name, const std::string& version, InferRequest request,
               const Answered& answered) override;

  /// The models that `statistics` is of.
  std::vector<std::shared_ptr<ServedModel>> models(const std::string& name, const std::string& version) const;
  std::shared_ptr<ServedModel> find(const std::string& name, const std::string& version) const {
    return repository_.find(name, version);
  }

 private:
  Repository& repository_;
  const Readiness& readiness_;
  const bool control_;
};

}  // namespace coracle::serve
