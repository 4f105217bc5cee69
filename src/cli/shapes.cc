// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/run_folder.h"
#include "cli/text.h"
#include "paddle/detail/engine_options.h"
#include "paddle/detail/shape_ranges.h"

namespace coracle::cli {
namespace {

/// Counts what operators read, as Paddle does, but for what has no name in the file.
int count(void* user, const coracle_node_value* value) try {
  if (*value->name != '\0' && value->is_result == 0) {
    static_cast<paddle::detail::ShapeRanges*>(user)->add(value->name, value->tensor);
  }
  return 0;
} catch (const std::exception&) {
  return 1;
}

struct ShapesCommand {
  ModelArguments arguments;
  SessionArguments session_arguments;
  std::vector<std::string> data;  ///< sets of inputs: folders with NAME.npy, or files
  std::string output;

  void add_options(CLI::App* command) {
    add_model(command, arguments);
    command->add_option("-o,--output", output, "file to write or replace, usually shape_range_info.pbtxt")->required();
    add_data(command, data);
    add_session(command, session_arguments);
  }
  void run() const;
};

void ShapesCommand::run() const {
  // Rewriting takes variables away.
  const bool saved = paddle::detail::is_saved_model(arguments.model);
  const coracle::Model model = load(saved ? arguments : as_in_the_file(arguments));
  const std::vector<InputOptions> sets = input_sets(model, session_arguments.inputs, data);
  paddle::detail::ShapeRanges ranges;
  coracle::Session session(model, session_arguments.options);
  coracle::check(coracle_session_set_observer(session.handle(), count, &ranges));
  for (const InputOptions& set : sets) {
    set_inputs(model, set, session);
    Interruption::run(session);
  }
  coracle::write_file(output, ranges.text());
  fmt::print("{}: shapes of {} variables in {} run{}\n", printable(output), ranges.size(), sets.size(),
             sets.size() == 1 ? "" : "s");
}

}  // namespace

void add_shapes(CLI::App& app) {
  add_command<ShapesCommand>(
      app, "shapes", "Writes the shapes that variables have in runs, for engines",
      "The file is the one that Paddle's CollectShapeRangeInfo writes and EnableTunedTensorRtDynamicShape reads: "
      "least, largest and most frequent sizes of each variable of the model, and the values of small integers.\n"
      "\nExamples:\n"
      "  coracle shapes model_dir --shape x=1,3,640,640 -o shape_range_info.pbtxt\n"
      "  coracle shapes model_dir --data small.npy --data large.npy -o shape_range_info.pbtxt\n"
      "  coracle shapes model_dir --input x=photos -o shape_range_info.pbtxt     a run for each file of a folder");
}

}  // namespace coracle::cli
