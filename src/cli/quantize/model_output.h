// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/quantize/program.h"
#include "cli/quantize/rewrite.h"

namespace coracle::cli {

/// Where a model is written: NAME.coracle, a program file with NAME.pdiparams beside it, or a folder of a program
/// called "inference" and what goes with it.
class ModelOutput {
 public:
  /// `original`, `parameters`: the files that the model was read from. Throws Failure (usage) where one would be
  /// replaced, a folder is in the way, or the name is of another format.
  ModelOutput(std::string output, std::string original, const std::string& parameters, ProgramFormat format);

  /// Files are whole or as they were: each is written beside its place and then renamed, parameters first. Throws
  /// Failure.
  void write(const ModelBytes& model) const;

 private:
  std::string output_;
  std::string original_;
  std::string program_;     ///< empty: a saved model
  std::string parameters_;  ///< beside it
};

/// Makes or replaces a file, or leaves what was there. Throws Failure.
void replace_file(const std::string& path, const std::string& content);

}  // namespace coracle::cli
