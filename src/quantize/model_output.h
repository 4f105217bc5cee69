// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "quantize/original.h"
#include "quantize/rewrite.h"
#include "quantize/runs.h"

namespace coracle::internal::quantize {

/// Where a model is written: NAME.coracle, a program file with NAME.pdiparams beside it, or a folder of a program
/// called "inference" and what goes with it.
class ModelOutput {
 public:
  /// Throws Error (kInvalidArgument) where a file of `original` would be replaced, a folder is in the way, or the name
  /// is of another format.
  ModelOutput(std::string output, const Original& original, ProgramFormat format);

  /// Files are whole or as they were: each is written beside its place and then renamed, parameters first. What a
  /// folder has beside the program is taken from `original`. Throws.
  void write(const ModelBytes& model, const Original& original, const Runs& runs) const;

 private:
  std::string output_;
  std::string program_;     ///< empty: a saved model
  std::string parameters_;  ///< beside it
};

}  // namespace coracle::internal::quantize
