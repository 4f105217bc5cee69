// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "serve/pictures.h"
#include "serve/pipeline.h"
#include "serve/repository.h"
#include "serve/service.h"

namespace coracle::serve {

/// The interface of PaddleX's and PaddleOCR's servers, for some pipelines: POST /ocr and so on, and GET /health.
class PipelineService : public Service {
 public:
  /// Throws where one of the pipelines cannot work with its models, which are loaded.
  virtual void check() = 0;
};

/// Adds the models of a pipeline to those that are served, as PIPELINE.STAGE unless one of them has that path already;
/// `config` has their names then.
void add_models(PipelineConfig& config, std::vector<std::pair<std::string, std::string>>& models);

/// Their runs are requests to the served models, which wait in their queues and run together with others. `limits` are
/// those of pictures. `repository` and `readiness` outlive it. Throws Failure.
std::unique_ptr<PipelineService> pipeline_service(std::vector<PipelineConfig> pipelines, Repository& repository,
                                                  const Readiness& readiness, const PictureOptions& limits);

}  // namespace coracle::serve
