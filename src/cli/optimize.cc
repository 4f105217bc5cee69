// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "base/system/file_status.h"
#include "cli/commands.h"
#include "cli/failure.h"
#include "cli/note.h"
#include "cli/text.h"
#include "client/size_ranges.h"

namespace coracle::cli {
namespace {

bool given(const InputOptions& inputs) {
  return !inputs.files.empty() || !inputs.shapes.empty() || !inputs.lods.empty() || !inputs.dtypes.empty();
}

/// Packs the weights for the given inputs, of each size: by a run, as plans of later parts of a model may depend on its
/// data. Without any, those of the declared sizes, where that is enough.
void pack(const coracle::Model& model, const SessionArguments& arguments) try {
  coracle::Session session(model, arguments.options);
  InputOptions inputs = arguments.inputs;
  for (const std::vector<std::string>& shapes : client::each_size(arguments.inputs.shapes)) {
    inputs.shapes = shapes;
    set_inputs(model, inputs, session);
    session.run();
  }
} catch (const std::exception&) {
  if (given(arguments.inputs)) throw;
  note("no packed weights: {}\n", current_failure().what());
}

struct OptimizeCommand {
  ModelArguments arguments;
  SessionArguments session;
  std::string output;
  bool packed = true;

  void add_options(CLI::App* command) {
    add_model(command, arguments);
    command->add_option("-o,--output", output, "file to write or replace, usually NAME.coracle")->required();
    add_session(command, session);
    command->add_option("--isa", arguments.options.cpu_isa, "instruction set to pack weights for")
        ->type_name("sse2|avx2|avx512|neon");
    add_engines(command, arguments);
    command->add_flag("!--no-packed", packed,
                      "without packed weights and compiled blocks: a smaller file, a longer first run");
    add_rewrites(command, arguments);
  }
  void run() const;
};

void OptimizeCommand::run() const {
  const coracle::Model model(arguments.model, arguments.params, arguments.options);
  if (packed) pack(model, session);
  model.save(output, packed);
  internal::FileStatus written;
  const double bytes = internal::status_of(output, written) ? static_cast<double>(written.size) : 0;
  fmt::print("{}: {:.2f} MiB\n", printable(output), bytes / 1048576.0);
}

}  // namespace

void add_optimize(CLI::App& app) {
  add_command<OptimizeCommand>(
      app, "optimize", "Saves a model for fast loading",
      "Writes the model as it is after rewriting, with its weights, to one file that every command takes as a "
      "model. It loads without rewriting and gives the same results to the bit, on every machine. The weights also "
      "stand in it in the order that kernels want for inputs of the given (else the declared) shapes, on this "
      "machine or with --isa: a first run of such shapes need not pack them. Other machines and shapes pack what "
      "they want for themselves.\n"
      "A size may be a range, FIRST..LAST or FIRST..LAST/STEP: then all of them are taken. Ranges that are written the "
      "same vary together, as the batch of several inputs does.\n"
      "With --engines or --mark the file keeps which parts of the model engines run, so that loading it looks for "
      "none, and what the engines compiled for such inputs and threads in place of the packed weights. Where an "
      "engine is missing or another, the parts are compiled there, or run natively.\n"
      "\nExamples:\n"
      "  coracle optimize model_dir -o model.coracle --shape x=1,3,640,640\n"
      "  coracle optimize model_dir -o model.coracle --shape x=1..8x3x48x32..320/32\n"
      "  coracle optimize model_dir -o model.coracle --no-packed          about half the size\n"
      "  coracle optimize model_dir -o model.coracle --shape x=1,3,640,640 --engines openvino\n"
      "  coracle inspect model.coracle --check                 what it was made of; are its weights as they were "
      "written?");
}

}  // namespace coracle::cli
