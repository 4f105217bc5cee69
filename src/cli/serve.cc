// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

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
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    std::error_code unknown;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", unknown);
    const std::string server = (self.parent_path() / kServer).string();
    std::signal(SIGPIPE, SIG_DFL);
    std::signal(SIGXFSZ, SIG_DFL);
    ::execv(server.c_str(), arguments.data());
    const int reason = errno;
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
