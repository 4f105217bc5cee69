// SPDX-License-Identifier: Apache-2.0
// Where a model lies, and the files that were published with it.
#pragma once

#include <coracle/coracle.hpp>
#include <optional>
#include <string>

#include "coracle/vision/predictor.h"

namespace coracle::vision {

/// A folder, an archive of one or one of its files; or the bytes of an archive.
class ModelPlace {
 public:
  ModelPlace(std::string path) : path_(std::move(path)) {}  // NOLINT(google-explicit-constructor): a path is a place
  /// Of bytes that stay while this and what is made of it live.
  explicit ModelPlace(const ModelBytes& bytes) : path_("archive in memory"), bytes_(bytes) {}

  /// For messages.
  const std::string& path() const { return path_; }
  bool in_memory() const { return bytes_.has_value(); }
  /// The path of a file beside the model, for messages.
  std::string beside(const std::string& name) const;
  /// Its content; nothing if there is none. coracle::Exception where it cannot be read, or the model is not there.
  std::optional<std::string> read(const std::string& name) const;
  coracle::Model load(const std::string& params) const;

 private:
  std::string path_;
  std::optional<ModelBytes> bytes_;
};

}  // namespace coracle::vision
