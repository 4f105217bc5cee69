// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <filesystem>

#include "cli/commands.h"
#include "cli/failure.h"
#include "cli/interrupt.h"
#include "cli/results.h"
#include "cli/run_folder.h"

namespace coracle::cli {

void run(const ModelArguments& arguments, const SessionArguments& session_arguments,
         const RunArguments& run_arguments) {
  const api::Model model(arguments.model, arguments.params, Interruption::interruptible(arguments.options));
  const std::string& dir = run_arguments.output_dir;
  if (!dir.empty()) {
    std::error_code error;
    std::filesystem::create_directories(dir, error);
    if (error) throw Failure(ExitCode::kIo, dir + ": cannot be made: " + error.message());
  }
  if (const std::optional<FolderInput> folder = folder_input(model, session_arguments.inputs)) {
    run_folder(model, *folder, session_arguments, run_arguments);
    return;
  }
  api::Session session(model, session_arguments.options);
  set_inputs(model, session_arguments.inputs, session);
  Interruption::run(session);
  const std::vector<api::TensorInfo> infos = model.outputs();
  if (!dir.empty()) write_results(dir, infos.size(), session);
  fmt::print(
      "{}", run_arguments.json ? results_json(infos, session, run_arguments.values, {}) : results_text(infos, session));
}

}  // namespace coracle::cli
