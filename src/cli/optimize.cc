// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <sys/stat.h>

#include "cli/commands.h"
#include "cli/text.h"

namespace coracle::cli {

void optimize(const ModelArguments& arguments, const OptimizeArguments& o) {
  const api::Model model(arguments.model, arguments.params, arguments.options);
  model.save(o.output);
  struct stat written {};
  const double bytes = ::stat(o.output.c_str(), &written) == 0 ? static_cast<double>(written.st_size) : 0;
  fmt::print("{}: {:.2f} MiB\n", printable(o.output), bytes / 1048576.0);
}

}  // namespace coracle::cli
