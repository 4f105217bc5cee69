// SPDX-License-Identifier: Apache-2.0
#include "command_line/completion.h"

#include <fmt/core.h>

#include "cli/commands.h"

namespace coracle::cli {
namespace {

struct CompletionCommand {
  const CLI::App& app;
  std::string shell = {};

  void add_options(CLI::App* command) {
    command->add_option("shell", shell, "whose")
        ->required()
        ->type_name("bash|zsh|fish")
        ->check(CLI::IsMember(command_line::completion_shells()).description(""));
  }
  void run() const { fmt::print("{}", command_line::completion(command_line::command_table(app), shell)); }
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
