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

}  // namespace

void shapes(const ModelArguments& arguments, const SessionArguments& session_arguments,
            const ShapesArguments& shapes_arguments) {
  api::ModelOptions options = Interruption::interruptible(arguments.options);
  if (!paddle::detail::is_saved_model(arguments.model)) {  // rewriting takes variables away
    options.disable_passes = "all";
    options.disable_kernels = "row_tiles,strided";
  }
  const api::Model model(arguments.model, arguments.params, options);
  const std::vector<InputOptions> sets = input_sets(model, session_arguments.inputs, shapes_arguments.data);
  paddle::detail::ShapeRanges ranges;
  api::Session session(model, session_arguments.options);
  api::check(coracle_session_set_observer(session.handle(), count, &ranges));
  for (const InputOptions& set : sets) {
    set_inputs(model, set, session);
    Interruption::run(session);
  }
  api::write_file(shapes_arguments.output, ranges.text());
  fmt::print("{}: shapes of {} variables in {} run{}\n", printable(shapes_arguments.output), ranges.size(), sets.size(),
             sets.size() == 1 ? "" : "s");
}

}  // namespace coracle::cli
