// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

namespace coracle::cli {

/// Adds all commands with their options; parsing runs the one that is given. `app` outlives that.
void add_commands(CLI::App& app);

}  // namespace coracle::cli
