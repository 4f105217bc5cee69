// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <filesystem>

#include "base/system/native_path.h"
#include "cli/commands.h"
#include "cli/failure.h"
#include "cli/interrupt.h"
#include "cli/results.h"
#include "cli/run_folder.h"

namespace coracle::cli {
namespace {

struct RunCommand {
  ModelArguments model_arguments;
  SessionArguments session_arguments;
  RunArguments run_arguments;

  void add_options(CLI::App* command) {
    add_model_options(command, model_arguments);
    add_session(command, session_arguments);
    RunArguments& r = run_arguments;
    command->add_option("--output-dir", r.output_dir,
                        "write outputs to DIR/0.npy, DIR/1.npy, ...; of a folder of inputs to DIR/FILE/0.npy, ...");
    CLI::Option* json = command->add_flag("--json", r.json, "print JSON; a line for each file");
    command->add_flag("--values", r.values, "all elements in JSON")->needs(json);
    command->add_option("--jobs", r.jobs, "files of a folder at a time, each in a session of its own")
        ->check(CLI::Range(1, 1024));
  }
  void run() const;
};

void RunCommand::run() const {
  const coracle::Model model = load(model_arguments);
  const std::string& dir = run_arguments.output_dir;
  if (!dir.empty()) {
    std::error_code error;
    std::filesystem::create_directories(internal::native_path(dir), error);
    if (error) throw Failure(ExitCode::kIo, dir + ": cannot be made: " + error.message());
  }
  if (const std::optional<FolderInput> folder = folder_input(model, session_arguments.inputs)) {
    run_folder(model, *folder, session_arguments, run_arguments);
    return;
  }
  coracle::Session session(model, session_arguments.options);
  set_inputs(model, session_arguments.inputs, session);
  Interruption::run(session);
  const std::vector<coracle::TensorInfo> infos = model.outputs();
  if (!dir.empty()) write_results(dir, infos.size(), session);
  fmt::print(
      "{}", run_arguments.json ? results_json(infos, session, run_arguments.values, {}) : results_text(infos, session));
}

}  // namespace

void add_run(CLI::App& app) {
  add_command<RunCommand>(
      app, "run", "Runs a model once",
      "Inputs without a file get made-up values: the same for the same seed, name and shape.\n"
      "\nExamples:\n"
      "  coracle run model_dir --shape x=1,3,640,640 --output-dir out\n"
      "  coracle run inference.json --input x=image.npy --threads 2 --json\n"
      "  coracle run __model__ --params __params__ --input image=photo.jpg --shape image=1,3,224,224\n"
      "  coracle run classifier --input x=photos/ --resize short:256 --mean 0.485,0.456,0.406 --std "
      "0.229,0.224,0.225\n"
      "      --jobs 2 --json     each file of a folder, for a model that was trained so\n"
      "  coracle run model_dir --input inputs.npz     arrays by the names of inputs\n"
      "  coracle run tagger --input words=words.npy --lod words=0,3,7");
}

}  // namespace coracle::cli
