// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

/// What the program's commands and options say of themselves, and what is made of that.
namespace coracle::command_line {

struct OptionRow {
  std::vector<std::string> names;  ///< "-o", "--output"; empty for what stands by its position
  std::string name;                ///< of what stands by its position, or the longest of `names`
  std::string description;
  std::string value;                 ///< what it takes, "NUMBERS"; empty for a flag
  std::string default_value;         ///< or empty
  std::vector<std::string> choices;  ///< the values there are, where its type lists them: "strict|default"
};

struct CommandRow {
  std::string name;
  std::string description;
  std::string footer;
  std::vector<OptionRow> options;
};

/// What an option takes, "cpu|opencl[:N]", without the checks that CLI11 puts behind a colon; empty for a flag.
std::string value_text(const CLI::Option& option);
/// The values there are, where its type or a check lists them.
std::vector<std::string> choices_of(const CLI::Option& option);

/// The program itself first, then its commands. Options of no group, which --help hides, are left out.
std::vector<CommandRow> command_table(const CLI::App& app);

/// What is wrong with the arguments that were left over, with what was probably meant; `message` is CLI11's.
std::string leftover_message(const CLI::App& app, const std::string& message);

}  // namespace coracle::command_line
