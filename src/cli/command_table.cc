// SPDX-License-Identifier: Apache-2.0
#include "cli/command_table.h"

#include <algorithm>

namespace coracle::cli {
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
  for (const CLI::Option* option : app.get_options()) row.options.push_back(option_row(*option));
  return row;
}

/// Insertions, deletions, replacements and exchanges of neighbours that make b of a.
size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
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

std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
  constexpr size_t kLongestWord = 64;
  if (word.size() > kLongestWord) return {};
  std::string best;
  size_t least = std::max<size_t>(1, word.size() / 3) + 1;
  for (const std::string& c : candidates) {
    // The beginning of a longer name is one that was not finished.
    const bool begun = word.size() > 3 && c.starts_with(word);
    const size_t d = begun ? 1 : distance(word, c);
    if (d >= least) continue;
    least = d;
    best = c;
  }
  return best;
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
  const std::string meant = nearest(word, candidates);
  return "'" + used.front()->get_name() + "' has no option '" + word + "'" +
         (meant.empty() ? "" : "; did you mean '" + meant + "'?");
}

}  // namespace coracle::cli
