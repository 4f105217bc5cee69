// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/model_options.h"

namespace coracle::cli {

struct RunArguments {
  std::string output_dir;
  std::vector<std::string> outputs;  ///< names of those that are computed and shown; none: all
  bool json = false;
  bool values = false;  ///< all elements in JSON
  int jobs = 1;         ///< files of a folder at a time
};

/// An input whose files are in a folder: the model runs once for each.
struct FolderInput {
  std::string name;                ///< of the input
  size_t entry = 0;                ///< of InputOptions::files that named the folder
  std::vector<std::string> files;  ///< by name
};

/// The folder among the files of --input, if there is one. Throws Failure where there are several, or none of its files
/// can be an input.
std::optional<FolderInput> folder_input(const coracle::Model& model, const InputOptions& inputs);

/// One set of inputs for each of `data` (see with_data) and each file of a folder that --input names, or the one of the
/// options. Throws Failure.
std::vector<InputOptions> input_sets(const coracle::Model& model, const InputOptions& given,
                                     const std::vector<std::string>& data);

/// Runs the model for each file, `arguments.jobs` at a time, each in a session of its own; results are shown in the
/// order of the files. A file that fails is told on standard error and the others go on; then throws Failure with the
/// code of the first that failed. Ends early, with what is done shown, after SIGINT.
void run_folder(const coracle::Model& model, const FolderInput& folder, const SessionArguments& session,
                const RunArguments& arguments);

}  // namespace coracle::cli
