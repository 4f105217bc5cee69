// SPDX-License-Identifier: Apache-2.0
#include "serve/picture_path.h"
#include "serve/pictures.h"

/// Stands for pictures.cc where there is no libcoracle_vision.
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

}  // namespace coracle::serve
