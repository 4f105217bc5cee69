// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "serve/repository_operations.h"
#include "serve/service.h"

namespace coracle::serve {

/// Below /v2: the Open Inference Protocol (https://github.com/kserve/open-inference-protocol) with Triton's extensions
/// for binary tensors, configurations, statistics, scheduling and model repositories.
class OpenInference : public Service {
 public:
  /// `operations` outlive it.
  explicit OpenInference(RepositoryOperations& operations) : operations_(operations) {}

  std::optional<Cancel> handle(const HttpRequest& request, const Path& path, const Respond& respond) override;
  bool open_to_all(const Path& path) const override;

 private:
  HttpResponse answer(const HttpRequest& request, const Path& path);
  HttpResponse index(const HttpRequest& request) const;
  void change_model(const HttpRequest& request, const std::string& name, bool load, const Respond& respond);
  HttpResponse metadata(const std::string& model, const std::string& version) const;
  Cancel infer(const HttpRequest& request, const std::string& model, const std::string& version,
               const Respond& respond);

  RepositoryOperations& operations_;
};

}  // namespace coracle::serve
