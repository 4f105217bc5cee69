// SPDX-License-Identifier: Apache-2.0
#include "cli/quantize/model_output.h"

#include <filesystem>
#include <utility>

#include "cli/failure.h"
#include "cli/file.h"
#include "cli/interrupt.h"
#include "cli/text.h"

namespace coracle::cli {
namespace {

namespace fs = std::filesystem;

/// A file beside its place; gone with this where it was not put there.
class Aside {
 public:
  explicit Aside(std::string place) : place_(std::move(place)), path_(place_ + ".part") {}
  ~Aside() {
    std::error_code error;
    if (!path_.empty()) fs::remove(path_, error);
  }
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;

  const std::string& path() const { return path_; }
  void put() {
    std::error_code error;
    fs::rename(path_, place_, error);
    if (error) throw Failure(ExitCode::kIo, printable(place_) + ": cannot be written: " + error.message());
    path_.clear();
  }

 private:
  std::string place_;
  std::string path_;
};

void require_uninterrupted() {
  if (Interruption::happened()) throw Failure(ExitCode::kInterrupted, "interrupted");
}

}  // namespace

void replace_file(const std::string& path, const std::string& content) {
  Aside aside(path);
  write_file(aside.path(), content);
  aside.put();
}

ModelOutput::ModelOutput(std::string output, const ModelInput& original, ProgramFormat format)
    : output_(std::move(output)) {
  const fs::path path(output_);
  const std::string extension = path.extension().string();
  if (extension == ".coracle") return;
  const char* expected = format == ProgramFormat::kPir ? ".json" : ".pdmodel";
  const bool file = extension == ".pdmodel" || extension == ".json";
  if (file && extension != expected) {
    throw Failure(ExitCode::kUsage, "-o " + printable(output_) + ": the model's program is " + expected +
                                        "; name such a file, a folder, or NAME.coracle");
  }
  program_ = file ? output_ : (path / "inference").string() + expected;
  parameters_ = fs::path(program_).replace_extension(".pdiparams").string();
  std::error_code error;
  for (const auto& [made, read] :
       {std::pair(program_, original.program()), std::pair(parameters_, original.parameters())}) {
    if (fs::exists(made, error) && fs::equivalent(made, read, error)) {
      throw Failure(ExitCode::kUsage, "-o " + printable(output_) + ": the model itself is there; give another place");
    }
    if (fs::is_directory(made, error)) {
      throw Failure(ExitCode::kUsage, "-o " + printable(output_) + ": " + printable(made) + " is a folder");
    }
  }
}

void ModelOutput::write(const ModelBytes& model, const ModelInput& original) const {
  require_uninterrupted();
  if (program_.empty()) {
    Aside saved(output_);
    model.load().save(saved.path());
    require_uninterrupted();
    saved.put();
    return;
  }
  const fs::path folder = fs::path(program_).parent_path();
  std::error_code error;
  if (program_ != output_) {
    fs::create_directories(folder, error);
    if (error) throw Failure(ExitCode::kIo, printable(output_) + ": cannot be made: " + error.message());
  }
  Aside parameters(parameters_);
  Aside program(program_);
  write_file(parameters.path(), model.parameters);
  write_file(program.path(), model.program);
  require_uninterrupted();
  parameters.put();
  program.put();
  if (program_ == output_) return;
  for (const char* beside : {"inference.yml", "infer_cfg.yml", "deploy.yaml"}) {
    const std::optional<std::string> content = original.beside(beside);
    if (content) replace_file((folder / beside).string(), *content);
  }
}

}  // namespace coracle::cli
