// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "cli/command_table.h"
#include "cli/commands.h"

namespace coracle::cli {
namespace {

std::string joined(const std::vector<std::string>& words) {
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
  return joined(names);
}

std::string command_names(const std::vector<CommandRow>& table, const char* separator) {
  std::string out;
  for (size_t i = 1; i < table.size(); ++i) out.append(i == 1 ? "" : separator).append(table[i].name);
  return out;
}

std::string bash(const std::vector<CommandRow>& table) {
  std::string out =
      "# bash completion of coracle, made by 'coracle completion bash'\n"
      "_coracle() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command='' words='' word\n"
      "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
      "    case $word in " +
      command_names(table, "|") +
      ") command=$word; break ;; esac\n"
      "  done\n"
      "  case $command:$before in\n";
  for (const CommandRow& c : table) {
    for (const OptionRow& o : c.options) {
      if (o.choices.empty()) continue;
      if (o.names.empty()) out += "    " + c.name + ":" + c.name + ") words='" + joined(o.choices) + "' ;;\n";
      for (const std::string& n : o.names)
        out += "    " + c.name + ":" + n + ") words='" + joined(o.choices) + "' ;;\n";
    }
  }
  out +=
      "  esac\n"
      "  if [[ -z $words ]]; then\n"
      "    case $command in\n"
      "      '') words='" +
      command_names(table, " ") + " " + option_names(table[0]) + "' ;;\n";
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
         "complete -o filenames -F _coracle coracle\n";
}

std::string zsh(const std::vector<CommandRow>& table) {
  constexpr const char* kSpecial = "'[]:\\";
  std::string out =
      "#compdef coracle\n# zsh completion of coracle, made by 'coracle completion zsh'\n"
      "_coracle() {\n"
      "  local -a commands\n"
      "  commands=(\n";
  for (size_t i = 1; i < table.size(); ++i)
    out += "    '" + table[i].name + ":" + without(table[i].description, kSpecial) + "'\n";
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
  for (size_t i = 1; i < table.size(); ++i) {
    out += "    " + table[i].name + ")\n      _arguments";
    for (const OptionRow& o : table[i].options) {
      const std::string values = o.choices.empty() ? "_files" : "(" + joined(o.choices) + ")";
      if (o.names.empty()) out += " \\\n        ':" + without(o.name, kSpecial) + ":" + values + "'";
      for (const std::string& n : o.names) {
        out += " \\\n        '*" + n + "[" + without(o.description, kSpecial) + "]" +
               (o.value.empty() ? "" : ":" + without(o.value, kSpecial) + ":" + values) + "'";
      }
    }
    out += "\n      ;;\n";
  }
  return out + "  esac\n}\n_coracle \"$@\"\n";
}

std::string fish(const std::vector<CommandRow>& table) {
  constexpr const char* kSpecial = "'\\";
  std::string out = "# fish completion of coracle, made by 'coracle completion fish'\n";
  const auto options = [&](const CommandRow& c, const std::string& when) {
    for (const OptionRow& o : c.options) {
      std::string line = "complete -c coracle -n '" + when + "'";
      for (const std::string& n : o.names) line += n.starts_with("--") ? " -l " + n.substr(2) : " -s " + n.substr(1);
      if (o.names.empty() && o.choices.empty()) continue;  // files, which are completed anyway
      if (!o.value.empty() && !o.names.empty()) line += " -r";
      if (!o.choices.empty()) line += " -f -a '" + joined(o.choices) + "'";
      out += line + " -d '" + without(o.description, kSpecial) + "'\n";
    }
  };
  for (size_t i = 1; i < table.size(); ++i) {
    out += "complete -c coracle -f -n __fish_use_subcommand -a " + table[i].name + " -d '" +
           without(table[i].description, kSpecial) + "'\n";
  }
  options(table[0], "__fish_use_subcommand");
  for (size_t i = 1; i < table.size(); ++i) options(table[i], "__fish_seen_subcommand_from " + table[i].name);
  return out;
}

struct CompletionCommand {
  const CLI::App& app;
  std::string shell = {};

  void add_options(CLI::App* command) {
    command->add_option("shell", shell, "whose")
        ->required()
        ->type_name("bash|zsh|fish")
        ->check(CLI::IsMember({"bash", "zsh", "fish"}).description(""));
  }
  void run() const {
    const std::vector<CommandRow> table = command_table(app);
    fmt::print("{}", shell == "bash" ? bash(table) : shell == "zsh" ? zsh(table) : fish(table));
  }
};

}  // namespace

void add_completion(CLI::App& app) {
  add_command<CompletionCommand>(
      app, "completion", "Prints completions of commands and options",
      "Examples:\n"
      "  source <(coracle completion bash)                                       in ~/.bashrc\n"
      "  coracle completion zsh >~/.zfunc/_coracle                               in a folder of fpath\n"
      "  coracle completion fish >~/.config/fish/completions/coracle.fish",
      CompletionCommand{app});
}

}  // namespace coracle::cli
