// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "base/system/native_path.h"
#include "cli/commands.h"
#include "cli/failure.h"
#include "command_line/manual_page.h"
#include "coracle/coracle.hpp"

namespace coracle::cli {
namespace {

using command_line::CommandRow;

struct ManualCommand {
  const CLI::App& app;
  std::string name = "coracle";
  std::string folder = {};

  void add_options(CLI::App* command) {
    command->add_option("command", name, "whose page");
    command->add_option("--output-dir", folder, "write all pages: DIR/coracle.1, DIR/coracle-run.1, ...");
  }
  void run() const;
};

void ManualCommand::run() const {
  const std::vector<CommandRow> table = command_line::command_table(app);
  if (folder.empty()) {
    const auto row = std::find_if(table.begin(), table.end(), [&](const CommandRow& r) { return r.name == name; });
    if (row == table.end()) throw Failure(ExitCode::kUsage, "there is no command '" + name + "' with a manual page");
    fmt::print("{}", command_line::manual_page(table, *row, coracle_version()));
    return;
  }
  std::error_code error;
  std::filesystem::create_directories(internal::native_path(folder), error);
  if (error) throw Failure(ExitCode::kIo, folder + ": cannot be made: " + error.message());
  for (const CommandRow& row : table) {
    const std::string file = &row == table.data() ? row.name : table[0].name + "-" + row.name;
    coracle::write_file(folder + "/" + file + ".1", command_line::manual_page(table, row, coracle_version()));
  }
}

}  // namespace

void add_manual(CLI::App& app) {
  add_command<ManualCommand>(app, "manual", "Prints pages of the manual (roff)",
                             "Examples:\n"
                             "  coracle manual run | man -l -\n"
                             "  coracle manual --output-dir /usr/local/share/man/man1",
                             ManualCommand{app});
}

}  // namespace coracle::cli
