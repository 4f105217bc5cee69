// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "serve/pipeline.h"
#include "serve/service.h"
#include "serve/text_reader_models.h"

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
  /// Readers of text, which come and go with the models of a repository.
  using Readers = std::function<std::vector<TextReaderModels>()>;
  /// `readers` and `pipelines` are shown beside the models that they work with.
  Page(Readers readers, std::vector<PipelineConfig> pipelines)
      : readers_(std::move(readers)), pipelines_(std::move(pipelines)) {}

  std::optional<Cancel> handle(const HttpRequest& request, const Path& path, const Respond& respond) override;
  bool open_to_all(const Path& path) const override;

 private:
  std::string tools() const;  ///< /page/server.json

  const Readers readers_;
  const std::vector<PipelineConfig> pipelines_;
};

}  // namespace coracle::serve
