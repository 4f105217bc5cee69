// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/system/native_path.h"
#include "base/system/program.h"
#include "cli/commands.h"
#include "cli/failure.h"

namespace coracle::cli {
namespace {

constexpr const char* kServer = "coracle-serve";

/// A program of its own, which this one becomes: who started this process watches, signals and ends the server, and
/// hands it sockets.
struct ServeCommand {
  CLI::App* command = nullptr;

  void add_options(CLI::App* added) {
    command = added;
    command->set_help_flag();  // the server's
    command->prefix_command();
  }

  void run() const {
    std::vector<std::string> words = command->remaining();
    words.insert(words.begin(), kServer);
    const std::string server =
        internal::path_text(internal::native_path(internal::own_program()).parent_path() / kServer);
    const int reason = internal::become_program(server, std::move(words));
    if (reason == ENOENT) {
      throw Failure(ExitCode::kIo, "there is no " + server +
                                       ": the server is the Debian package coracle-serve (in builds from source it "
                                       "needs libboost-dev and libssl-dev)");
    }
    throw Failure(ExitCode::kIo, server + " cannot be started: " + std::strerror(reason));
  }
};

}  // namespace

void add_serve(CLI::App& app) {
  add_command<ServeCommand>(
      app, "serve", "Serves models over HTTP: starts coracle-serve, whose options it takes",
      "Examples:\n"
      "  coracle serve det_infer rec=models/ch_PP-OCRv4_rec_infer\n"
      "  coracle serve --help                      the options, which are those of coracle-serve");
}

}  // namespace coracle::cli
