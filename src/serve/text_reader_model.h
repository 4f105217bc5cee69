// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "serve/served_model.h"
#include "serve/text_reader_models.h"

namespace coracle::serve {

class Repository;

/// A reader of text of a repository: a config.pbtxt with the names of its models. It takes pictures, no tensors, and
/// its work is counted by its models.
class TextReaderModel final : public ServedModel {
 public:
  /// Throws Failure (kInvalidArgument) for a wrong configuration, and where one of its models is not there.
  TextReaderModel(const std::string& name, int64_t version, const std::string& path, ModelConfig config,
                  const FindModel& find);

  const TextReaderModels& models() const { return models_; }

 private:
  void submit(InferencePtr request) override;

  TextReaderModels models_;
};

/// Those of a repository that are loaded.
std::vector<TextReaderModels> readers_of(const Repository& repository);

}  // namespace coracle::serve
