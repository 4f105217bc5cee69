// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "serve/repository.h"
#include "serve/service.h"

namespace coracle::serve {

/// Below /v2: the Open Inference Protocol (https://github.com/kserve/open-inference-protocol) with Triton's extensions
/// for binary tensors, configurations, statistics, scheduling and model repositories.
class OpenInference : public Service {
 public:
  /// `repository_control`: clients may load and unload models. `repository` and `readiness` outlive it.
  OpenInference(Repository& repository, const Readiness& readiness, bool repository_control)
      : repository_(repository), readiness_(readiness), repository_control_(repository_control) {}

  std::optional<Cancel> handle(const HttpRequest& request, const Path& path, const Respond& respond) override;
  bool open_to_all(const Path& path) const override;

 private:
  HttpResponse answer(const HttpRequest& request, const Path& path);
  HttpResponse index(const HttpRequest& request) const;
  void change_model(const HttpRequest& request, const std::string& name, bool load, const Respond& respond);
  HttpResponse metadata(const std::string& model, const std::string& version) const;
  HttpResponse statistics(const std::string& model, const std::string& version) const;
  Cancel infer(const HttpRequest& request, const std::string& model, const std::string& version,
               const Respond& respond);

  Repository& repository_;
  const Readiness& readiness_;
  const bool repository_control_;
};

}  // namespace coracle::serve
