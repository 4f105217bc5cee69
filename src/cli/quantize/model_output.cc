// SPDX-License-Identifier: Apache-2.0
#include "cli/quantize/model_output.h"

#include <filesystem>
#include <utility>

#include "base/system/native_path.h"
#include "cli/failure.h"
#include "cli/interrupt.h"
#include "cli/quantize/answers.h"
#include "cli/text.h"

namespace coracle::cli {

using namespace internal::quantize;  // NOLINT(google-build-using-namespace): the words of the library
namespace {

namespace fs = std::filesystem;

}  // namespace

ModelOutput::ModelOutput(std::string output, const Original& original, ProgramFormat format)
    : output_(std::move(output)) {
  const fs::path path = internal::native_path(output_);
  const std::string extension = path.extension().string();
  if (extension == ".coracle") return;
  const char* expected = format == ProgramFormat::kPir ? ".json" : ".pdmodel";
  const bool file = extension == ".pdmodel" || extension == ".json";
  if (file && extension != expected) {
    throw Failure(ExitCode::kUsage, "-o " + printable(output_) + ": the model's program is " + expected +
                                        "; name such a file, a folder, or NAME.coracle");
  }
  program_ = file ? output_ : (path / "inference").string() + expected;
  parameters_ = internal::path_text(internal::native_path(program_).replace_extension(".pdiparams"));
  std::error_code error;
  for (const auto& [made, read] :
       {std::pair(program_, original.program_file()), std::pair(parameters_, original.parameters_file())}) {
    if (fs::exists(internal::native_path(made), error) &&
        fs::equivalent(internal::native_path(made), internal::native_path(read), error)) {
      throw Failure(ExitCode::kUsage, "-o " + printable(output_) + ": the model itself is there; give another place");
    }
    if (fs::is_directory(internal::native_path(made), error)) {
      throw Failure(ExitCode::kUsage, "-o " + printable(output_) + ": " + printable(made) + " is a folder");
    }
  }
}

void ModelOutput::write(const ModelBytes& model, const Original& original) const {
  if (Interruption::happened()) throw Failure(ExitCode::kInterrupted, "interrupted");
  if (program_.empty()) {
    load_model(model).save(output_);
    return;
  }
  const fs::path folder = internal::native_path(program_).parent_path();
  std::error_code error;
  if (program_ != output_) {
    fs::create_directories(folder, error);
    if (error) throw Failure(ExitCode::kIo, printable(output_) + ": cannot be made: " + error.message());
  }
  coracle::write_files({{parameters_, model.parameters}, {program_, model.program}});
  if (program_ == output_) return;
  for (const char* beside : {"inference.yml", "infer_cfg.yml", "deploy.yaml"}) {
    const std::optional<std::string> content = original.beside(beside);
    if (content) coracle::write_file((folder / beside).string(), *content);
  }
}

}  // namespace coracle::cli
