// SPDX-License-Identifier: Apache-2.0
#include "command_line/command_table.h"

#include <algorithm>

#include "base/nearest_name.h"

namespace coracle::command_line {
namespace {

/// The parts of a list, without what stands in brackets: what may follow a value.
std::vector<std::string> parts(const std::string& list, char separator) {
  std::vector<std::string> out;
  for (size_t start = 0; start <= list.size();) {
    const size_t end = std::min(list.find(separator, start), list.size());
    const std::string part = list.substr(start, end - start);
    out.push_back(part.substr(0, part.find('[')));
    start = end + 1;
  }
  return out;
}

OptionRow option_row(const CLI::Option& option) {
  OptionRow row;
  for (const std::string& n : option.get_snames()) row.names.push_back("-" + n);
  for (const std::string& n : option.get_lnames()) row.names.push_back("--" + n);
  row.name = row.names.empty() ? option.get_single_name() : row.names.back();
  row.description = option.get_description();
  if (option.get_items_expected_max() > 0) {
    row.value = value_text(option);
    row.choices = choices_of(option);
    row.default_value = option.get_default_str();
  }
  return row;
}

CommandRow command_row(const CLI::App& app) {
  CommandRow row{app.get_name(), app.get_description(), app.get_footer(), {}};
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_group().empty()) row.options.push_back(option_row(*option));
  }
  return row;
}

}  // namespace

std::string value_text(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0) return "";
  std::string type = option.get_type_name();
  size_t brackets = 0;
  for (size_t i = 0; i < type.size(); ++i) {
    if (type[i] == '[') ++brackets;
    if (type[i] == ']' && brackets > 0) --brackets;
    if (type[i] == ':' && brackets == 0) return type.substr(0, i);
  }
  return type;
}

std::vector<std::string> choices_of(const CLI::Option& option) {
  const std::string value = value_text(option);
  if (value.find('|') != std::string::npos) return parts(value, '|');
  // CLI::IsMember says "{a,b}".
  const std::string type = option.get_type_name();
  const size_t begin = type.find(":{", std::min(value.size(), type.size()));
  const size_t end = type.find('}', std::min(begin, type.size()));
  if (begin == std::string::npos || end == std::string::npos) return {};
  return parts(type.substr(begin + 2, end - begin - 2), ',');
}

std::vector<CommandRow> command_table(const CLI::App& app) {
  std::vector<CommandRow> table{command_row(app)};
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    table.push_back(command_row(*command));
  }
  return table;
}

std::string leftover_message(const CLI::App& app, const std::string& message) {
  const std::vector<CLI::App*> used = app.get_subcommands();
  const std::vector<std::string> left = app.remaining(true);
  const auto option = std::find_if(left.begin(), left.end(), [](const std::string& s) { return s.starts_with('-'); });
  if (used.empty() || option == left.end()) return message;
  const std::string word = option->substr(0, option->find('='));
  if (const std::string& command = used.front()->get_name(); used.front()->get_option_no_throw(word) != nullptr) {
    return "the option '" + word + "' belongs to the command '" + command + "': write '" + app.get_name() + " " +
           command + " " + word + " ...'";
  }
  std::vector<std::string> candidates;
  for (const OptionRow& row : command_row(*used.front()).options) {
    candidates.insert(candidates.end(), row.names.begin(), row.names.end());
  }
  return "'" + used.front()->get_name() + "' has no option '" + word + "'" + internal::suggestion(word, candidates);
}

}  // namespace coracle::command_line
