// SPDX-License-Identifier: Apache-2.0
#include "command_line/completion.h"

namespace coracle::command_line {
namespace {

std::string words_of(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& w : words) out.append(out.empty() ? "" : " ").append(w);
  return out;
}

/// Without the characters of `special`.
std::string without(const std::string& text, const char* special) {
  std::string out;
  for (char c : text) {
    if (std::string(special).find(c) == std::string::npos) out.push_back(c);
  }
  return out;
}

std::string option_names(const CommandRow& command) {
  std::vector<std::string> names;
  for (const OptionRow& o : command.options) names.insert(names.end(), o.names.begin(), o.names.end());
  return words_of(names);
}

std::string command_names(const std::vector<CommandRow>& table, const char* separator) {
  std::string out;
  for (size_t i = 1; i < table.size(); ++i) out.append(i == 1 ? "" : separator).append(table[i].name);
  return out;
}

bool has_commands(const std::vector<CommandRow>& table) { return table.size() > 1; }

/// The name of a shell's function: "_coracle_serve" for coracle-serve.
std::string function_name(const std::string& program) {
  std::string out = "_" + program;
  for (char& c : out) c = c == '-' ? '_' : c;
  return out;
}

std::string bash(const std::vector<CommandRow>& table) {
  const std::string& program = table[0].name;
  const std::string function = function_name(program);
  std::string out =
      "# bash completion of " + program + "\n" + function +
      "() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command='' words='' word\n";
  if (has_commands(table)) {
    out +=
        "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
        "    case $word in " +
        command_names(table, "|") +
        ") command=$word; break ;; esac\n"
        "  done\n";
  }
  out += "  case $command:$before in\n";
  for (const CommandRow& c : table) {
    const std::string command = &c == table.data() ? "" : c.name;
    for (const OptionRow& o : c.options) {
      if (o.choices.empty()) continue;
      if (o.names.empty()) out += "    " + command + ":" + c.name + ") words='" + words_of(o.choices) + "' ;;\n";
      for (const std::string& n : o.names)
        out += "    " + command + ":" + n + ") words='" + words_of(o.choices) + "' ;;\n";
    }
  }
  out +=
      "  esac\n"
      "  if [[ -z $words ]]; then\n"
      "    case $command in\n";
  out += has_commands(table) ? "      '') words='" + command_names(table, " ") + " " + option_names(table[0]) + "' ;;\n"
                             : "      '') [[ $current == -* ]] && words='" + option_names(table[0]) + "' ;;\n";
  for (size_t i = 1; i < table.size(); ++i) {
    out += "      " + table[i].name + ") [[ $current == -* ]] && words='" + option_names(table[i]) + "' ;;\n";
  }
  return out +
         "    esac\n"
         "  fi\n"
         "  if [[ -n $words ]]; then\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
         "  else\n"
         "    mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
         "  fi\n"
         "}\n"
         "complete -o filenames -F " +
         function + " " + program + "\n";
}

/// The arguments of zsh's _arguments, each in a line of its own.
std::string zsh_arguments(const CommandRow& row) {
  constexpr const char* kSpecial = "'[]:\\";
  std::string out;
  for (const OptionRow& o : row.options) {
    const std::string values = o.choices.empty() ? "_files" : "(" + words_of(o.choices) + ")";
    if (o.names.empty()) out += " \\\n        ':" + without(o.name, kSpecial) + ":" + values + "'";
    for (const std::string& n : o.names) {
      out += " \\\n        '*" + n + "[" + without(o.description, kSpecial) + "]" +
             (o.value.empty() ? "" : ":" + without(o.value, kSpecial) + ":" + values) + "'";
    }
  }
  return out;
}

std::string zsh(const std::vector<CommandRow>& table) {
  const std::string& program = table[0].name;
  const std::string function = function_name(program);
  std::string out = "#compdef " + program + "\n# zsh completion of " + program + "\n" + function + "() {\n";
  if (!has_commands(table)) return out + "  _arguments" + zsh_arguments(table[0]) + "\n}\n" + function + " \"$@\"\n";
  out +=
      "  local -a commands\n"
      "  commands=(\n";
  for (size_t i = 1; i < table.size(); ++i)
    out += "    '" + table[i].name + ":" + without(table[i].description, "'[]:\\") + "'\n";
  out +=
      "  )\n"
      "  if (( CURRENT == 2 )); then\n"
      "    _describe command commands\n"
      "    compadd -- " +
      option_names(table[0]) +
      "\n"
      "    return\n"
      "  fi\n"
      "  local command=$words[2]\n"
      "  shift words\n"
      "  (( CURRENT-- ))\n"
      "  case $command in\n";
  for (size_t i = 1; i < table.size(); ++i)
    out += "    " + table[i].name + ")\n      _arguments" + zsh_arguments(table[i]) + "\n      ;;\n";
  return out + "  esac\n}\n" + function + " \"$@\"\n";
}

std::string fish(const std::vector<CommandRow>& table) {
  constexpr const char* kSpecial = "'\\";
  const std::string complete = "complete -c " + table[0].name;
  std::string out = "# fish completion of " + table[0].name + "\n";
  const auto options = [&](const CommandRow& c, const std::string& when) {
    for (const OptionRow& o : c.options) {
      std::string line = complete + (when.empty() ? "" : " -n '" + when + "'");
      for (const std::string& n : o.names) line += n.starts_with("--") ? " -l " + n.substr(2) : " -s " + n.substr(1);
      if (o.names.empty() && o.choices.empty()) continue;  // files, which are completed anyway
      if (!o.value.empty() && !o.names.empty()) line += " -r";
      if (!o.choices.empty()) line += " -f -a '" + words_of(o.choices) + "'";
      out += line + " -d '" + without(o.description, kSpecial) + "'\n";
    }
  };
  for (size_t i = 1; i < table.size(); ++i) {
    out += complete + " -f -n __fish_use_subcommand -a " + table[i].name + " -d '" +
           without(table[i].description, kSpecial) + "'\n";
  }
  options(table[0], has_commands(table) ? "__fish_use_subcommand" : "");
  for (size_t i = 1; i < table.size(); ++i) options(table[i], "__fish_seen_subcommand_from " + table[i].name);
  return out;
}

}  // namespace

const std::vector<std::string>& completion_shells() {
  static const std::vector<std::string> shells{"bash", "zsh", "fish"};
  return shells;
}

std::string completion(const std::vector<CommandRow>& table, const std::string& shell) {
  return shell == "bash" ? bash(table) : shell == "zsh" ? zsh(table) : fish(table);
}

}  // namespace coracle::command_line
