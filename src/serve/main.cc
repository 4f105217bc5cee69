// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <initializer_list>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "serve/command_line.h"
#include "serve/systemd.h"

namespace coracle::serve {
namespace {

void say(const std::string& line) { fmt::print(stderr, "coracle-serve: {}\n", line); }

sigset_t set_of(std::initializer_list<int> signals) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : signals) sigaddset(&set, signal);
  return set;
}

/// Waits for a signal that ends the server; the next one ends the process at once. SIGHUP reloads meanwhile.
int wait_for_end(Server& server, const sigset_t& signals) {
  int signal = SIGHUP;
  while (signal == SIGHUP) {
    sigwait(&signals, &signal);
    if (signal != SIGHUP) break;
    notify_reloading();
    server.reload();
    notify_manager("READY=1");
  }
  std::thread([] {
    const sigset_t ends = set_of({SIGTERM, SIGINT});
    int second = 0;
    sigwait(&ends, &second);
    _exit(128 + second);
  }).detach();
  return signal;
}

int serve(int argc, char** argv) {
  std::vector<InheritedSocket> inherited = inherited_sockets();
  int status = 0;
  std::optional<ServerOptions> options = read_command_line(argc, argv, status);
  if (!options.has_value()) return status;
  options->repository.defaults.log = say;
  options->inherited = std::move(inherited);

  // All threads leave the signals to this one.
  const sigset_t signals = set_of({SIGTERM, SIGINT, SIGHUP});
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);

  for (const PipelineConfig& pipeline : options->pipelines) {
    for (const std::string& note : pipeline.notes) say(note);
  }
  Server server(std::move(*options));
  server.start();
  for (const std::string& address : server.addresses()) say(address);
  notify_manager("READY=1");
  const int signal = wait_for_end(server, signals);
  notify_manager("STOPPING=1");
  say(std::string("stopping: ") + (signal == SIGTERM ? "SIGTERM" : "SIGINT"));
  if (server.stop()) return 0;
  say("some requests took longer than --exit-timeout and are cut off");
  std::fflush(nullptr);
  _exit(1);
}

}  // namespace
}  // namespace coracle::serve

int main(int argc, char** argv) {
  try {
    return coracle::serve::serve(argc, argv);
  } catch (const std::exception& e) {
    fmt::print(stderr, "coracle-serve: {}\n", e.what());
    return 1;
  }
}
