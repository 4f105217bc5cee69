// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "serve/server.h"

namespace coracle::serve {
namespace {

constexpr const char* kFooter =
    "Exit codes: 0 stopped by a signal with all requests answered, 1 failure or requests cut off, 2 usage, 130 or 143 "
    "a "
    "second signal.\n"
    "\nExamples:\n"
    "  coracle-serve det_infer rec=models/ch_PP-OCRv4_rec_infer\n"
    "  coracle-serve --repository /srv/models --host 0.0.0.0\n"
    "  curl localhost:8000/v2/models/det/infer -d '{\"inputs\": [{\"name\": \"x\", \"datatype\": \"FP32\", ...}]}'";

void say(const std::string& line) { fmt::print(stderr, "coracle-serve: {}\n", line); }

/// A model's name and path from NAME=PATH or PATH, whose last folder is then the name.
std::pair<std::string, std::string> model_of(const std::string& argument) {
  const size_t equals = argument.find('=');
  if (equals != std::string::npos && !std::filesystem::exists(argument))
    return {argument.substr(0, equals), argument.substr(equals + 1)};
  std::filesystem::path path = std::filesystem::absolute(argument).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  std::string name = path.stem();
  if (std::filesystem::is_directory(path)) name = path.filename();
  if (name == "inference" || name == "model" || name == "__model__") name = path.parent_path().filename();
  return {name, argument};
}

/// A port, or "off".
std::optional<uint16_t> port_of(const std::string& text, const char* option) {
  if (text == "off") return std::nullopt;
  const bool digits = !text.empty() && text.size() <= 5 && text.find_first_not_of("0123456789") == std::string::npos;
  if (!digits || std::stoi(text) > UINT16_MAX)
    throw CLI::ValidationError(std::string(option) + ": '" + text + "' is not a port (0 to 65535) or off");
  return static_cast<uint16_t>(std::stoi(text));
}

std::string token_of(const std::string& file) {
  if (file.empty()) return {};
  std::ifstream stream(file);
  if (!stream.is_open()) throw Failure(Code::kUnavailable, file + " cannot be read");
  std::string token;
  std::getline(stream, token);
  while (!token.empty() && (token.back() == '\r' || token.back() == ' ')) token.pop_back();
  if (token.empty()) throw Failure(Code::kInvalidArgument, file + " has no token in its first line");
  return token;
}

/// Waits for a signal that ends the server; the next one ends the process at once.
int wait_for_signal(const sigset_t& signals) {
  int signal = 0;
  sigwait(&signals, &signal);
  std::thread([signals] {
    int second = 0;
    sigwait(&signals, &second);
    _exit(128 + second);
  }).detach();
  return signal;
}

int serve(int argc, char** argv) {
  CLI::App app("Serves PaddlePaddle models over HTTP, by the Open Inference Protocol.", "coracle-serve");
  app.footer(kFooter);
  app.option_defaults()->always_capture_default();
  ServerOptions options;
  Repository::Options& repository = options.repository;
  ServingDefaults& defaults = repository.defaults;
  std::vector<std::string> models;
  std::string folder;
  std::string http_port = "8000";
  std::string metrics_port = "8002";
  std::string control = "none";
  std::string token_file;
  int threads = 0;
  int64_t poll_seconds = 15;
  int64_t queue_delay_us = 0;
  int64_t exit_timeout = 25;
  int64_t pre_stop_ms = 0;
  size_t max_body_mib = options.limits.body_bytes >> 20;
  app.set_version_flag("--version", std::string("coracle-serve ") + coracle_version());
  app.add_option("model", models, "Models to serve: a folder, file or archive, as PATH or NAME=PATH");
  app.add_option("--repository", folder, "Folder of models: NAME/config.pbtxt (optional), NAME/1, NAME/2 ...");
  app.add_option("--host", options.host, "Address to listen on");
  app.add_option("--http-port", http_port, "Port of HTTP; 0: any that is free; off: none");
  app.add_option("--metrics-port", metrics_port, "Port of GET /metrics; 0: any that is free; off: none");
  app.add_option("--unix-socket", options.unix_socket, "Path of a Unix socket to listen on");
  app.add_option("--model-control", control, "Who changes the models: none, poll (the folder) or explicit (clients)")
      ->check(CLI::IsMember({"none", "poll", "explicit"}));
  app.add_option("--poll-seconds", poll_seconds, "How often --model-control poll looks")->check(CLI::Range(1, 86400));
  app.add_option("--threads", threads, "Threads that all models share; 0: one for each processor")
      ->check(CLI::Range(0, 1024));
  app.add_option("--instances", defaults.instances, "Requests of a model that run at the same time")
      ->check(CLI::Range(1, 1024));
  app.add_option("--max-batch-size", defaults.max_batch_size,
                 "Rows that run together, of models without config.pbtxt; 0: none")
      ->check(CLI::Range(0, 4096));
  app.add_option("--max-queue-delay-us", queue_delay_us, "How long a request waits for others to run with")
      ->check(CLI::Range(0, 60'000'000));
  app.add_option("--max-queue-size", defaults.max_queue_size, "Requests of a model that wait at most; 0: any number");
  app.add_option("--max-body-mib", max_body_mib, "Largest body of a request, in MiB")->check(CLI::Range(1, 2047));
  app.add_option("--max-connections", options.limits.connections, "Connections at the same time");
  app.add_option("--token-file", token_file, "File whose first line clients must send as a bearer token");
  app.add_option("--allow-origin", options.router.allow_origin, "Origin whose pages may use the server (CORS)");
  app.add_option("--pre-stop-ms", pre_stop_ms, "How long requests are still taken after a signal")
      ->check(CLI::Range(0, 3'600'000));
  app.add_option("--exit-timeout", exit_timeout, "Seconds after which requests under way are cut off")
      ->check(CLI::Range(0, 3600));
  try {
    app.parse(argc, argv);
    options.http_port = port_of(http_port, "--http-port");
    options.metrics_port = port_of(metrics_port, "--metrics-port");
    if (models.empty() && folder.empty()) throw CLI::ValidationError("a MODEL or --repository is needed");
    for (const std::string& model : models) repository.models.push_back(model_of(model));
    check_model_names(repository.models);
  } catch (const CLI::ParseError& e) {
    const int code = app.exit(e);
    return code == 0 ? 0 : 2;
  } catch (const Failure& e) {
    say(e.what());
    return 2;
  }
  repository.folder = folder;
  if (control == "poll") repository.poll = std::chrono::seconds(poll_seconds);
  options.router.repository_control = control == "explicit";
  options.router.token = token_of(token_file);
  options.limits.body_bytes = max_body_mib << 20;
  options.pre_stop = std::chrono::milliseconds(pre_stop_ms);
  options.exit_timeout = std::chrono::seconds(exit_timeout);
  defaults.pool = coracle::Pool(threads);
  defaults.max_queue_delay = std::chrono::microseconds(queue_delay_us);
  defaults.log = say;

  // All threads leave the signals to this one.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);

  const std::string host = options.host.find(':') == std::string::npos ? options.host : '[' + options.host + ']';
  Server server(std::move(options));
  server.start();
  if (server.http_port() != 0) say("HTTP at http://" + host + ":" + std::to_string(server.http_port()));
  if (server.metrics_port() != 0)
    say("metrics at http://" + host + ":" + std::to_string(server.metrics_port()) + "/metrics");
  const int signal = wait_for_signal(signals);
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
