// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "serve/model_config.h"

namespace coracle::serve {

/// Throws Failure (kInvalidArgument) for a name that cannot be part of a path and a URL, and for one that is there
/// twice.
void check_model_names(const std::vector<std::pair<std::string, std::string>>& models);

/// The number that is the name of a version's folder; nothing for other names.
std::optional<int64_t> version_number(const std::string& name);

/// Where the versions of a model lie, and what is written of it.
struct ModelSource {
  ModelConfig config;
  bool has_config = false;
  std::map<int64_t, std::string> versions;
};

/// Where models are loaded from: those that were given one by one, with their paths, and a folder as Triton has it:
/// DIR/NAME/config.pbtxt (optional) and DIR/NAME/1/inference.pdmodel and so on, folders without numbers being ignored;
/// DIR/NAME with a model in it and no numbered folder is version 1.
class ModelSources {
 public:
  ModelSources(std::vector<std::pair<std::string, std::string>> models, std::filesystem::path folder)
      : models_(std::move(models)), folder_(std::move(folder)) {}

  const std::vector<std::pair<std::string, std::string>>& given() const { return models_; }
  bool has_folder() const { return !folder_.empty(); }
  bool is_given(const std::string& name) const { return given_path(name).has_value(); }
  /// Of the models in the folder, sorted. Throws Failure where it cannot be read.
  std::vector<std::string> names_in_folder() const;
  /// Throws Failure: not found, or its config.pbtxt is wrong.
  ModelSource find(const std::string& name) const;
  /// Changes whenever a file of a model in the folder does.
  std::string stamp(const std::string& name) const;
  /// These names, and before each those of the models that it joins, as far as they are in the folder; each once.
  std::vector<std::string> parts_first(const std::vector<std::string>& names) const;

 private:
  std::optional<std::string> given_path(const std::string& name) const;

  const std::vector<std::pair<std::string, std::string>> models_;
  const std::filesystem::path folder_;
};

}  // namespace coracle::serve
