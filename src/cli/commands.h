// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "cli/model_options.h"
#include "cli/options.h"

/// A command is a row of commands.def and the file of its name, which has its options, the text of --help and what it
/// does.
/// Parsing, --help, manual pages and completions follow from what `add_options` says. Results go to stdout, all else to
/// stderr.
namespace coracle::cli {

/// Each adds its command; parsing runs the one that is given. `app` outlives that.
#define CORACLE_COMMAND(name) void add_##name(CLI::App& app);
#include "cli/commands.def"
#undef CORACLE_COMMAND

/// Runs `command`; says then which inputs had other sizes than the model declares.
void run_and_print_sizes(const std::function<void()>& command);

/// For `add_NAME`. `Command` has the variables of the options, which its `add_options(CLI::App*)` adds, and
/// `run() const`. The footer stands below the options in --help: what the command does, and examples.
template <class Command>
void add_command(CLI::App& app, const char* name, const char* description, const char* footer, Command initial = {}) {
  CLI::App* added = app.add_subcommand(name, description);
  added->footer(footer);
  const auto command = std::make_shared<Command>(std::move(initial));
  command->add_options(added);
  added->callback([command] { run_and_print_sizes([&] { command->run(); }); });
}

/// What --version prints.
std::string version_text();

}  // namespace coracle::cli
