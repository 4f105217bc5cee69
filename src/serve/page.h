// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "serve/pictures.h"
#include "serve/pipeline.h"
#include "serve/service.h"

namespace coracle::serve {

/// A file of src/serve/page, which the program carries (embed.cmake).
struct PageFile {
  std::string_view name;
  std::string_view etag;  ///< as HTTP has it: other bytes, another tag
  std::string_view bytes;
};
extern const std::span<const PageFile> page_files;

/// A page for browsers at /, and what it is made of at /page/NAME. What it shows it asks of the other services, by
/// JavaScript that runs in the browser. Its files are for all, but not /page/server.json, which has names of models.
class Page : public Service {
 public:
  /// `readers` and `pipelines` are shown beside the models that they work with.
  Page(const std::vector<TextReaderModels>& readers, const std::vector<PipelineConfig>& pipelines);

  std::optional<Cancel> handle(const HttpRequest& request, const Path& path, const Respond& respond) override;
  bool open_to_all(const Path& path) const override;

 private:
  std::string server_;  ///< /page/server.json
};

}  // namespace coracle::serve
