// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "base/nearest_name.h"
#include "base/system/program.h"
#include "cli/commands.h"
#include "cli/failure.h"
#include "cli/interrupt.h"
#include "cli/note.h"
#include "command_line/command_table.h"

namespace coracle::cli {
namespace {

constexpr const char* kFooter =
    "Exit codes: 0 ok, 1 run failure, 2 usage, 3 model invalid, 4 unsupported operator or feature, 5 input/output, 6 "
    "out of memory, 7 outputs differ (compare), 130 interrupted.\n"
    "\nExamples:\n"
    "  coracle inspect inference.pdmodel\n"
    "  coracle run model_dir --shape x=1,3,640,640 --output-dir out\n"
    "  coracle bench inference.pdmodel --shape x=1,3,48,320 --threads 1 --repeat 50 --json\n"
    "  coracle predict model_dir photo.jpg\n"
    "'coracle COMMAND --help' has more of each command.";

std::string unknown_command(const CLI::App& app, const std::string& given) {
  std::vector<std::string> names;
  std::string list;
  for (const command_line::CommandRow& row : command_line::command_table(app)) {
    if (row.name == app.get_name()) continue;
    names.push_back(row.name);
    list.append(list.empty() ? "" : ", ").append(row.name);
  }
  return "there is no command '" + given + "'" + internal::suggestion(given, names) + "; the commands are " + list;
}

/// "run " where the arguments are of that command.
std::string given_command(const CLI::App& app) {
  const std::vector<CLI::App*> used = app.get_subcommands();
  return used.empty() ? std::string() : used.front()->get_name() + " ";
}

/// For standard output that cannot be written. Who reads a pipe and has enough (`| head`) is no failure.
int output_failure(int reason) {
  if (reason == EPIPE) return 0;
  throw Failure(ExitCode::kIo,
                std::string("the results cannot be written to standard output: ") + std::strerror(reason));
}

/// The arguments, as the command `opt` has them where the program is called by the name coracle-opt: flags of Paddle
/// Lite's opt may begin with one dash.
std::vector<std::string> arguments_of(int argc, char** argv) {
  std::vector<std::string> arguments = internal::program_arguments(argc, argv);
  const std::string name = arguments.empty() ? "" : arguments.front();
  if (!arguments.empty()) arguments.erase(arguments.begin());
  if (name.ends_with("coracle-opt") || name.ends_with("coracle-opt.exe")) arguments.insert(arguments.begin(), "opt");
  if (arguments.empty() || arguments.front() != "opt") return arguments;
  for (std::string& argument : arguments) {
    if (argument.size() > 2 && argument[0] == '-' && argument[1] != '-') argument.insert(0, "-");
  }
  return arguments;
}

void run_command(int argc, char** argv) {
  const std::vector<std::string> arguments = arguments_of(argc, argv);
  CLI::App app("Runs PaddlePaddle models.", "coracle");
  app.allow_windows_style_options(false);  // what begins with a slash is a path
  app.footer(kFooter);
  app.set_version_flag("--version", version_text);
  app.require_subcommand(1);
  app.option_defaults()->always_capture_default();
  app.formatter(std::make_shared<Help>());
#define CORACLE_COMMAND(name) add_##name(app);
#include "cli/commands.def"
#undef CORACLE_COMMAND
  require_finite_numbers(app);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));  // as CLI11 wants them
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) {  // --help, --version
      std::ostringstream text;
      app.exit(e, text, text);
      fmt::print("{}", text.str());
      return;
    }
    if (!arguments.empty() && !arguments.front().starts_with('-') && app.get_subcommands().empty()) {
      throw Failure(ExitCode::kUsage, unknown_command(app, arguments.front()));
    }
    throw Failure(ExitCode::kUsage, fmt::format("{}; 'coracle {}--help' explains",
                                                command_line::leftover_message(app, e.what()), given_command(app)));
  }
}

int main_guarded(int argc, char** argv) {
  internal::prepare_streams();
  Interruption::handle();
  try {
    run_command(argc, argv);
  } catch (const std::system_error& e) {
    if (std::ferror(stdout) == 0) throw;
    return output_failure(e.code().value());
  }
  errno = 0;
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) return output_failure(errno != 0 ? errno : EIO);
  if (Interruption::happened()) throw Failure(ExitCode::kInterrupted, "interrupted");
  return 0;
}

}  // namespace
}  // namespace coracle::cli

int main(int argc, char** argv) {
  using coracle::cli::ExitCode;
  const auto fail = [](ExitCode code, const char* message) {
    // The handler of the signal ends the program.
    if (!coracle::cli::Interruption::begin_end()) coracle::internal::wait_to_be_ended();
    coracle_set_last_error(message);  // which makes it printable: paths may hold any bytes
    coracle::cli::note("coracle: {}\n", coracle_last_error());
    return static_cast<int>(code);
  };
  try {
    return coracle::cli::main_guarded(argc, argv);
  } catch (...) {
    try {
      const coracle::cli::Failure failure = coracle::cli::current_failure();
      return fail(failure.code(), failure.what());
    } catch (...) {
      return fail(ExitCode::kOutOfMemory, "out of memory");
    }
  }
}
