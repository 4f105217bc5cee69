// SPDX-License-Identifier: Apache-2.0
#include "cli/input/data_sets.h"

#include <fmt/core.h>

#include <filesystem>

#include "base/system/native_path.h"
#include "cli/failure.h"
#include "cli/text.h"

namespace coracle::cli {
namespace {

namespace fs = std::filesystem;

void add_file(const std::string& file, const std::vector<coracle::TensorInfo>& inputs, InputOptions& options) {
  const std::string name = lower_case(file);
  if (name.ends_with(".npz") || name.ends_with(".json")) {
    options.files.push_back(file);
    return;
  }
  if (inputs.size() != 1) {
    throw Failure(
        ExitCode::kUsage,
        fmt::format("--data {}: the model has {} inputs ({}); expected a folder with NAME.npy for each, or an "
                    ".npz or .json file",
                    file, inputs.size(), names_of(inputs)));
  }
  options.files.push_back(inputs[0].name + "=" + file);
}

}  // namespace

InputOptions with_data(const InputOptions& given, const std::string& data,
                       const std::vector<coracle::TensorInfo>& inputs) {
  InputOptions options = given;
  std::error_code error;
  if (!fs::is_directory(internal::native_path(data), error)) {
    if (!fs::exists(internal::native_path(data), error)) {
      throw Failure(ExitCode::kIo,
                    fmt::format("--data {}: no such folder; expected one with NAME.npy for each input", data));
    }
    add_file(data, inputs, options);
    return options;
  }
  size_t found = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    for (const std::string& name : {inputs[i].name, std::to_string(i)}) {
      const std::string path = data + "/" + name + ".npy";
      if (!fs::exists(internal::native_path(path), error)) continue;
      options.files.push_back(inputs[i].name + "=" + path);
      ++found;
      break;
    }
  }
  if (found == 0) {
    throw Failure(ExitCode::kIo,
                  fmt::format("--data {}: it has no NAME.npy of an input; the inputs are: {}", data, names_of(inputs)));
  }
  return options;
}

}  // namespace coracle::cli
