// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "serve/repository.h"
#include "serve/service.h"

namespace coracle::serve {

/// Below /v1: the first version of KServe's protocol
/// (https://kserve.github.io/website/docs/concepts/architecture/data-plane/v1-protocol), which TensorFlow Serving has
/// too: rows as JSON, "instances" to "predictions", or whole tensors, "inputs" to "outputs".
class KServeV1 : public Service {
 public:
  /// `repository` and `readiness` outlive it.
  KServeV1(Repository& repository, const Readiness& readiness) : repository_(repository), readiness_(readiness) {}

  std::optional<Cancel> handle(const HttpRequest& request, const Path& path, const Respond& respond) override;

 private:
  HttpResponse models() const;
  HttpResponse model(const std::string& name) const;

  Repository& repository_;
  const Readiness& readiness_;
};

}  // namespace coracle::serve
