// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/quantize/parameters.h"

namespace coracle::cli {

/// The files of a model in one of Paddle's formats, on disk or in an archive.
class ModelInput {
 public:
  /// Throws Failure where the model is of another format or has integers already, and what the library throws where
  /// there is none.
  explicit ModelInput(const ModelArguments& arguments);

  /// Path of the program; in an archive "x.tar/folder/inference.pdmodel".
  const std::string& program() const { return program_; }
  /// Path of the parameters: a file of all, or the folder of a file for each.
  const std::string& parameters() const { return parameters_; }

  std::string read_program() const;
  /// Those of `names`, of which a file of all has as many in that order. Throws Failure. Once.
  ParameterMap read_parameters(const std::vector<std::string>& names);
  /// The content of a file in the program's folder, on disk or in the archive; nothing if there is none.
  std::optional<std::string> beside(const std::string& name) const;

 private:
  /// The name in the program's folder of what has that path.
  std::string name_of(const std::string& path) const;
  std::string read_packed(const std::string& path);

  std::string program_;
  std::string parameters_;
  bool in_archive_ = false;              ///< the parameters
  std::optional<std::string> combined_;  ///< content of a file of all parameters in the archive, until it is read
};

}  // namespace coracle::cli
