// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "cli/command_table.h"
#include "cli/commands.h"
#include "cli/failure.h"
#include "coracle/coracle.hpp"

namespace coracle::cli {
namespace {

/// Text as roff shows it.
std::string roff(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if ((c == '.' || c == '\'') && (i == 0 || text[i - 1] == '\n')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

std::string upper_case(std::string text) {
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

std::string option_entry(const OptionRow& o) {
  std::string head;
  for (const std::string& n : o.names) head += (head.empty() ? "\\fB" : ", \\fB") + roff(n) + "\\fR";
  if (o.names.empty()) head = "\\fI" + roff(o.name) + "\\fR";
  if (!o.value.empty() && !o.names.empty()) head += " \\fI" + roff(o.value) + "\\fR";
  const std::string given = o.default_value.empty() ? "" : " (default: " + roff(o.default_value) + ")";
  return ".TP\n" + head + "\n" + roff(o.description) + given + "\n";
}

std::string page(const std::vector<CommandRow>& table, const CommandRow& row) {
  const bool whole = &row == table.data();
  const std::string name = whole ? row.name : table[0].name + "-" + row.name;
  std::string out = ".TH " + roff(upper_case(name)) + " 1 \"\" \"Coracle " + coracle_version() + "\"\n.SH NAME\n" +
                    roff(name) + " \\- " + roff(row.description) + "\n.SH SYNOPSIS\n.B " + roff(table[0].name) +
                    (whole ? "" : " " + row.name) + "\n";
  if (whole) {
    out += ".I command\n[\\fIoptions\\fR]\n.SH COMMANDS\n";
    for (size_t i = 1; i < table.size(); ++i) {
      out += ".TP\n\\fB" + roff(table[i].name) + "\\fR\n" + roff(table[i].description) + " (\\fBcoracle\\-" +
             roff(table[i].name) + "\\fR(1))\n";
    }
  } else {
    out += "[\\fIoptions\\fR]\n";
    for (const OptionRow& o : row.options) {
      if (o.names.empty()) out += "\\fI" + roff(o.name) + "\\fR\n";
    }
  }
  out += ".SH OPTIONS\n";
  for (const OptionRow& o : row.options) out += option_entry(o);
  if (!row.footer.empty()) out += ".SH NOTES\n.nf\n" + roff(row.footer) + "\n.fi\n";
  return out;
}

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
  const std::vector<CommandRow> table = command_table(app);
  if (folder.empty()) {
    const auto row = std::find_if(table.begin(), table.end(), [&](const CommandRow& r) { return r.name == name; });
    if (row == table.end()) throw Failure(ExitCode::kUsage, "there is no command '" + name + "' with a manual page");
    fmt::print("{}", page(table, *row));
    return;
  }
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw Failure(ExitCode::kIo, folder + ": cannot be made: " + error.message());
  for (const CommandRow& row : table) {
    const std::string file = &row == table.data() ? row.name : table[0].name + "-" + row.name;
    coracle::write_file(folder + "/" + file + ".1", page(table, row));
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
