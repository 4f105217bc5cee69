// SPDX-License-Identifier: Apache-2.0
#include "cli/quantize/model_input.h"

#include <fmt/core.h>

#include <filesystem>
#include <limits>
#include <memory>
#include <utility>

#include "cli/failure.h"
#include "cli/file.h"
#include "cli/json.h"
#include "cli/text.h"

namespace coracle::cli {

namespace fs = std::filesystem;

ModelInput::ModelInput(const ModelArguments& arguments) {
  JsonDocument d;
  d.Parse(api::inspect(arguments.model, arguments.params).c_str());
  program_ = d["file"].GetString();
  const std::string format = d["format"].GetString();
  if (format != "ProgramDesc" && format != "PIR") {
    throw Failure(ExitCode::kUnsupported, fmt::format("{}: its format is {}; only Paddle's own files (.pdmodel, "
                                                      "__model__, .json) can be quantised",
                                                      printable(program_), format));
  }
  const JsonValue& operators = d["operators"];
  for (auto op = operators.MemberBegin(); op < operators.MemberEnd(); ++op) {
    const std::string name = op->name.GetString();
    if (name.find("quantize") == std::string::npos) continue;
    throw Failure(ExitCode::kUnsupported, fmt::format("{}: it is quantised already ({} of {})", printable(program_),
                                                      op->value.GetInt64(), name));
  }
  std::error_code error;
  in_archive_ = !fs::is_regular_file(program_, error) && (arguments.params.empty() || !fs::exists(arguments.params));
  const std::string folder = fs::path(program_).parent_path().string();
  std::string given = arguments.params;
  if (in_archive_ && !given.empty() && given.rfind(folder + "/", 0) != 0) given = folder + "/" + given;
  parameters_ = parameters_path(program_, given, [this](const std::string& path) {
    std::error_code none;
    if (!in_archive_) return fs::is_regular_file(path, none);
    combined_ = beside(name_of(path));
    return combined_.has_value();
  });
  if (in_archive_ && !given.empty()) combined_ = beside(name_of(given));
}

std::string ModelInput::name_of(const std::string& path) const {
  const std::string folder = fs::path(program_).parent_path().string();
  return path.rfind(folder + "/", 0) == 0 ? path.substr(folder.size() + 1) : path;
}

std::optional<std::string> ModelInput::beside(const std::string& name) const {
  char* data = nullptr;
  size_t size = 0;
  api::check(coracle_model_file(program_.c_str(), name.c_str(), std::numeric_limits<size_t>::max(), nullptr, nullptr,
                                &data, &size));
  if (data == nullptr) return std::nullopt;
  const std::unique_ptr<char, void (*)(char*)> owner(data, coracle_string_free);
  return std::string(data, size);
}

std::string ModelInput::read_packed(const std::string& path) {
  std::optional<std::string> content = beside(name_of(path));
  if (!content) throw Failure(ExitCode::kIo, printable(path) + ": there is no such file in the archive");
  return *std::move(content);
}

std::string ModelInput::read_program() const {
  std::error_code error;
  if (fs::is_regular_file(program_, error)) return read_file(program_);
  std::optional<std::string> content = beside(name_of(program_));
  if (!content) throw Failure(ExitCode::kIo, printable(program_) + ": it is no longer there");
  return *std::move(content);
}

ParameterMap ModelInput::read_parameters(const std::vector<std::string>& names) {
  std::error_code error;
  if (!in_archive_) return read_parameter_files(parameters_, fs::is_directory(parameters_, error), names, read_file);
  const bool folder = !combined_;
  return read_parameter_files(parameters_, folder, names, [&](const std::string& path) {
    return folder ? read_packed(path) : *std::exchange(combined_, std::nullopt);
  });
}

}  // namespace coracle::cli
