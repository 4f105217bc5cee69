// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/model_files.h"
#include "quantize/parameters.h"
#include "quantize/program.h"

namespace coracle::internal::quantize {

/// The files of a model in one of Paddle's formats, on disk or in an archive.
class Original {
 public:
  /// Throws Error where there is none.
  Original(const std::string& model, const std::string& params);

  /// Path of the program; in an archive "x.tar/folder/inference.pdmodel".
  const std::string& program_file() const { return files_.program.name; }
  /// Path of the parameters: a file of all, or the folder of a file for each.
  const std::string& parameters_file() const { return files_.combined.empty() ? files_.folder : files_.combined; }
  /// The program's file.
  std::string_view program_bytes() const;

  Program program() const;
  /// The parameters of its program. Throws Error.
  ParameterMap parameters(const Program& program) const;
  /// The content of a file in the program's folder, on disk or in the archive; nothing if there is none.
  std::optional<std::string> beside(const std::string& name) const;

 private:
  ModelFiles files_;
};

}  // namespace coracle::internal::quantize
