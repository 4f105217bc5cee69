// SPDX-License-Identifier: Apache-2.0
#include "quantize/model_output.h"

#include <filesystem>
#include <utility>

#include "base/printable.h"
#include "base/system/native_path.h"
#include "quantize/error.h"

namespace coracle::internal::quantize {

namespace fs = std::filesystem;

ModelOutput::ModelOutput(std::string output, const Original& original, ProgramFormat format)
    : output_(std::move(output)) {
  const fs::path path = native_path(output_);
  const std::string extension = path_text(path.extension());
  if (extension == ".coracle") return;
  const char* expected = format == ProgramFormat::kPir ? ".json" : ".pdmodel";
  const bool file = extension == ".pdmodel" || extension == ".json";
  if (file && extension != expected) {
    fail(ErrorCode::kInvalidArgument, "output ", printable(output_), ": the model's program is ", expected,
         "; name such a file, a folder, or NAME.coracle");
  }
  program_ = file ? output_ : path_text(path / "inference") + expected;
  parameters_ = path_text(native_path(program_).replace_extension(".pdiparams"));
  std::error_code error;
  for (const auto& [made, read] :
       {std::pair(program_, original.program_file()), std::pair(parameters_, original.parameters_file())}) {
    if (fs::exists(native_path(made), error) && fs::equivalent(native_path(made), native_path(read), error)) {
      fail(ErrorCode::kInvalidArgument, "output ", printable(output_),
           ": the model itself is there; give another place");
    }
    if (fs::is_directory(native_path(made), error)) {
      fail(ErrorCode::kInvalidArgument, "output ", printable(output_), ": ", printable(made), " is a folder");
    }
  }
}

void ModelOutput::write(const ModelBytes& model, const Original& original, const Runs& runs) const {
  runs.require_wanted();
  if (program_.empty()) {
    runs.load(model).save(output_);
    return;
  }
  const fs::path folder = native_path(program_).parent_path();
  std::error_code error;
  if (program_ != output_) {
    fs::create_directories(folder, error);
    require(!error, ErrorCode::kIo, printable(output_), ": cannot be made: ", error.message());
  }
  coracle::write_files({{parameters_, model.parameters}, {program_, model.program}});
  if (program_ == output_) return;
  for (const char* beside : {"inference.yml", "infer_cfg.yml", "deploy.yaml"}) {
    const std::optional<std::string> content = original.beside(beside);
    if (content) coracle::write_file(path_text(folder / beside), *content);
  }
}

}  // namespace coracle::internal::quantize
