// SPDX-License-Identifier: Apache-2.0
#include "serve/picture_path.h"
#include "serve/pictures.h"
#include "serve/pipelines.h"

/// Stands for pictures.cc and the pipelines where there is no libcoracle_vision.
namespace coracle::serve {
namespace {

class NoPictures : public Service {
 public:
  std::optional<Cancel> handle(const HttpRequest&, const Path& path, const Respond&) override {
    if (!picture_path(path)) return std::nullopt;
    throw Failure(Code::kUnsupported,
                  "this server was built without libcoracle_vision, which reads pictures; 'infer' takes their numbers");
  }
};

}  // namespace

std::unique_ptr<Service> picture_service(Repository&, const PictureOptions&) { return std::make_unique<NoPictures>(); }

PipelineConfig read_pipeline(const std::string&) {
  throw Failure(Code::kUnsupported, "this server was built without libcoracle_vision, which pipelines need");
}

void add_models(PipelineConfig&, std::vector<std::pair<std::string, std::string>>&) {}

std::unique_ptr<PipelineService> pipeline_service(std::vector<PipelineConfig>, Repository&, const Readiness&,
                                                  const PictureOptions&) {
  return nullptr;
}

}  // namespace coracle::serve
