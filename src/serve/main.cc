// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <thread>

#include "serve/command_line.h"

namespace coracle::serve {
namespace {

void say(const std::string& line) { fmt::print(stderr, "coracle-serve: {}\n", line); }

/// Waits for a signal that ends the server; the next one ends the process at once. SIGHUP reloads meanwhile.
int wait_for_end(Server& server, const sigset_t& signals) {
  int signal = SIGHUP;
  while (signal == SIGHUP) {
    sigwait(&signals, &signal);
    if (signal == SIGHUP) server.reload();
  }
  std::thread([signals] {
    int second = SIGHUP;
    while (second == SIGHUP) sigwait(&signals, &second);
    _exit(128 + second);
  }).detach();
  return signal;
}

int serve(int argc, char** argv) {
  int status = 0;
  std::optional<ServerOptions> options = read_command_line(argc, argv, status);
  if (!options.has_value()) return status;
  options->repository.defaults.log = say;

  // All threads leave the signals to this one.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);

  const std::string host = options->host.find(':') == std::string::npos ? options->host : '[' + options->host + ']';
  Server server(std::move(*options));
  server.start();
  if (server.http_port() != 0) say("HTTP at http://" + host + ":" + std::to_string(server.http_port()));
  if (server.metrics_port() != 0)
    say("metrics at http://" + host + ":" + std::to_string(server.metrics_port()) + "/metrics");
  const int signal = wait_for_end(server, signals);
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
