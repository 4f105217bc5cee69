// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <sys/stat.h>

#include "cli/commands.h"
#include "cli/failure.h"
#include "cli/note.h"
#include "cli/text.h"

namespace coracle::cli {

namespace {

bool given(const InputOptions& inputs) {
  return !inputs.files.empty() || !inputs.shapes.empty() || !inputs.lods.empty() || !inputs.dtypes.empty();
}

/// Packs the weights for the given inputs: by a run, as plans of later parts of a model may depend on its data. Without
/// any, those of the declared sizes, where that is enough.
void pack(const api::Model& model, const SessionArguments& arguments) try {
  api::Session session(model, arguments.options);
  set_inputs(model, arguments.inputs, session);
  session.run();
} catch (const std::exception&) {
  if (given(arguments.inputs)) throw;
  note("no packed weights: {}\n", current_failure().what());
}

}  // namespace

void optimize(const ModelArguments& arguments, const SessionArguments& session, const OptimizeArguments& o) {
  const api::Model model(arguments.model, arguments.params, arguments.options);
  if (o.packed) pack(model, session);
  model.save(o.output, o.packed);
  struct stat written {};
  const double bytes = ::stat(o.output.c_str(), &written) == 0 ? static_cast<double>(written.st_size) : 0;
  fmt::print("{}: {:.2f} MiB\n", printable(o.output), bytes / 1048576.0);
}

}  // namespace coracle::cli
