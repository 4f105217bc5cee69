// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace coracle::cli {

/// What `coracle bench --cold` does: starts the command as it was given `count` times, each time a process that loads
/// the model, plans and answers once, and prints how long that takes from the start of the process on. One more process
/// before them is not counted. Throws Failure as the first process that fails.
void measure_starts(const CLI::App& command, const std::string& model, int count, bool json);

}  // namespace coracle::cli
