// SPDX-License-Identifier: Apache-2.0
#include "serve/command_line.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "command_line/completion.h"
#include "command_line/manual_page.h"
#include "coracle/coracle.hpp"

namespace coracle::serve {
namespace {

constexpr const char* kFooter =
    "Exit codes: 0 stopped by a signal with all requests answered, 1 failure or requests cut off, 2 usage, "
    "130 or 143 a second signal.\n"
    "\nExamples:\n"
    "  coracle-serve det_infer rec=models/ch_PP-OCRv4_rec_infer\n"
    "  coracle-serve --repository /srv/models --host 0.0.0.0\n"
    "  curl localhost:8000/v2/models/det/infer -d '{\"inputs\": [{\"name\": \"x\", \"datatype\": \"FP32\", ...}]}'";

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

/// What options are read into that ServerOptions has in another form. Options are added by group, each with what is
/// done once all were read.
struct Arguments {
  ServerOptions options;
  std::vector<std::function<void()>> then;
};

void add_model_options(CLI::App& app, Arguments& arguments) {
  struct Read {
    std::vector<std::string> models;
    std::vector<std::string> pipelines;
    std::string folder;
    std::string control = "none";
    int64_t poll_seconds = 15;
  };
  const auto read = std::make_shared<Read>();
  app.add_option("model", read->models, "Models to serve: a folder, file or archive, as PATH or NAME=PATH");
  app.add_option("--repository", read->folder, "Folder of models: NAME/config.pbtxt (optional), NAME/1, NAME/2 ...");
  app.add_option("--pipeline", read->pipelines,
                 "Pipelines as PaddleX serves them (POST /ocr ...): its files, as OCR.yaml, or OCR:det=PATH,rec=PATH")
      ->allow_extra_args(false);
  app.add_option("--model-control", read->control,
                 "Who changes the models: none, poll (the folder) or explicit (clients)")
      ->check(CLI::IsMember({"none", "poll", "explicit"}));
  app.add_option("--poll-seconds", read->poll_seconds, "How often --model-control poll looks")
      ->check(CLI::Range(1, 86400));
  arguments.then.emplace_back([read, &options = arguments.options] {
    Repository::Options& repository = options.repository;
    if (read->models.empty() && read->folder.empty() && read->pipelines.empty())
      throw CLI::ValidationError("a MODEL, --repository or --pipeline is needed");
    for (const std::string& model : read->models) repository.models.push_back(model_of(model));
    for (const std::string& pipeline : read->pipelines)
      add_models(options.pipelines.emplace_back(read_pipeline(pipeline)), repository.models);
    check_model_names(repository.models);
    repository.folder = read->folder;
    if (read->control == "poll") repository.poll = std::chrono::seconds(read->poll_seconds);
    options.repository_control = read->control == "explicit";
  });
}

void add_addresses(CLI::App& app, Arguments& arguments) {
  struct Read {
    std::string http_port = "8000";
    std::string grpc_port = "8001";
    std::string metrics_port = "8002";
    std::string token_file;
  };
  const auto read = std::make_shared<Read>();
  ServerOptions& options = arguments.options;
  app.add_option("--host", options.host, "Address to listen on");
  app.add_option("--http-port", read->http_port, "Port of HTTP; 0: any that is free; off: none");
  const CLI::Option* const grpc = app.add_option("--grpc-port", read->grpc_port,
                                                 "Port of gRPC, where its module is; 0: any that is free; off: none");
  app.add_option("--metrics-port", read->metrics_port, "Port of GET /metrics; 0: any that is free; off: none");
  app.add_option("--unix-socket", options.unix_socket, "Path of a Unix socket to listen on");
  app.add_option("--token-file", read->token_file, "File whose first line clients must send as a bearer token");
  app.add_option("--allow-origin", options.router.allow_origin, "Origin whose pages may use the server (CORS)");
  arguments.then.emplace_back([read, grpc, &options] {
    options.grpc_port = port_of(read->grpc_port, "--grpc-port");
    options.grpc_required = grpc->count() != 0;
    options.http_port = port_of(read->http_port, "--http-port");
    options.metrics_port = port_of(read->metrics_port, "--metrics-port");
    options.router.token = token_of(read->token_file);
  });
}

void add_tls(CLI::App& app, Arguments& arguments) {
  TlsFiles& files = arguments.options.tls;
  app.add_option(
      "--tls-certificate", files.certificate,
      "File (PEM) with the server's certificate and those that it follows from: HTTP over TCP is then HTTPS, and gRPC "
      "has TLS");
  app.add_option("--tls-key", files.key, "File (PEM) with the certificate's key, without a passphrase");
  app.add_option("--tls-client-ca", files.client_ca,
                 "File (PEM) with certificates, one of which must have signed a client's");
  arguments.then.emplace_back([&files] {
    if (files.certificate.empty() != files.key.empty())
      throw CLI::ValidationError("--tls-certificate and --tls-key need each other");
    if (!files.client_ca.empty() && files.certificate.empty())
      throw CLI::ValidationError("--tls-client-ca needs --tls-certificate and --tls-key");
  });
}

void add_scheduling(CLI::App& app, Arguments& arguments) {
  struct Read {
    int threads = 0;
    int64_t queue_delay_us = 0;
  };
  const auto read = std::make_shared<Read>();
  ServingDefaults& defaults = arguments.options.repository.defaults;
  app.add_option("--threads", read->threads, "Threads that all models share; 0: one for each processor")
      ->check(CLI::Range(0, 1024));
  app.add_option("--instances", defaults.instances, "Requests of a model that run at the same time")
      ->check(CLI::Range(1, 1024));
  app.add_option("--max-batch-size", defaults.max_batch_size,
                 "Rows that run together, of models without config.pbtxt; 0: none")
      ->check(CLI::Range(0, 4096));
  app.add_option("--max-queue-delay-us", read->queue_delay_us, "How long a request waits for others to run with")
      ->check(CLI::Range(0, 60'000'000));
  app.add_option("--max-queue-size", defaults.max_queue_size, "Requests of a model that wait at most; 0: any number")
      ->check(CLI::Range(0, 1'000'000'000));
  arguments.then.emplace_back([read, &defaults] {
    defaults.pool = coracle::Pool(read->threads);
    defaults.max_queue_delay = std::chrono::microseconds(read->queue_delay_us);
  });
}

void add_page(CLI::App& app, Arguments& arguments) {
  const auto page = std::make_shared<std::string>("on");
  app.add_option("--page", *page, "Page for browsers at http://HOST:PORT/: on or off")
      ->check(CLI::IsMember({"on", "off"}));
  arguments.then.emplace_back([page, &options = arguments.options] { options.page = *page == "on"; });
}

void add_warm_up(CLI::App& app, Arguments& arguments) {
  const auto samples = std::make_shared<std::vector<std::string>>();
  app.add_option(
         "--warm-up", *samples,
         "Run of a model before it is ready, as NAME=SHAPE or NAME=INPUT:SHAPE,INPUT:SHAPE: rec=x:1x3x48x320; or of "
         "each size of ranges: rec=x:1..8x3x48x32..320/32")
      ->allow_extra_args(false);
  arguments.then.emplace_back([samples, &repository = arguments.options.repository] {
    for (const std::string& sample : *samples) {
      const size_t equals = sample.find('=');
      if (equals == std::string::npos)
        throw CLI::ValidationError("--warm-up: '" + sample + "' has no '=', expected NAME=SHAPE");
      const std::string name = sample.substr(0, equals);
      const bool given = std::any_of(repository.models.begin(), repository.models.end(),
                                     [&](const auto& model) { return model.first == name; });
      if (!given && repository.folder.empty())
        throw CLI::ValidationError("--warm-up: there is no model '" + name + "' among those to be served");
      try {
        for (WarmUpSample& run : parse_warm_ups(sample.substr(equals + 1))) {
          repository.defaults.warm_up.emplace(name, std::move(run));
        }
      } catch (const Failure& e) {
        throw CLI::ValidationError(std::string("--warm-up: ") + e.what());
      }
    }
  });
}

void add_learning(CLI::App& app, Arguments& arguments) {
  struct Read {
    int64_t target_ms = 0;
    std::string folder;
  };
  const auto read = std::make_shared<Read>();
  app.add_option("--target-p99-ms", read->target_ms,
                 "Within the limits on delay and size, batches wait and grow only so far that answers come in this "
                 "time; 0: none")
      ->check(CLI::Range(0, 3'600'000));
  app.add_option("--state-directory", read->folder,
                 "Folder that keeps between restarts what runs have cost and which batches were proved");
  arguments.then.emplace_back([read, &defaults = arguments.options.repository.defaults] {
    defaults.target = std::chrono::milliseconds(read->target_ms);
    defaults.state = StateDirectory(read->folder);
  });
}

void add_memory(CLI::App& app, Arguments& arguments) {
  struct Read {
    size_t limit_mib = 0;
    int64_t idle_seconds = 300;
  };
  const auto read = std::make_shared<Read>();
  app.add_option("--memory-limit-mib", read->limit_mib,
                 "Memory of models, bodies and tensors together, beside mapped weights, in MiB; 0: no limit")
      ->check(CLI::Range(size_t{0}, size_t{1} << 40));
  app.add_option("--idle-seconds", read->idle_seconds,
                 "After so long without a request a model gives back what it can make again; 0: never")
      ->check(CLI::Range(0, 31'536'000));
  arguments.then.emplace_back([read, &options = arguments.options] {
    const MemoryBudget memory(read->limit_mib << 20);
    options.limits.memory = memory;
    options.repository.defaults.memory = memory;
    options.pictures.limits.memory = memory;
    options.repository.idle = std::chrono::seconds(read->idle_seconds);
  });
}

void add_limits(CLI::App& app, Arguments& arguments) {
  struct Read {
    size_t max_body_mib = HttpLimits().body_bytes >> 20;
    int64_t exit_timeout = 25;
    int64_t pre_stop_ms = 0;
  };
  const auto read = std::make_shared<Read>();
  ServerOptions& options = arguments.options;
  app.add_option("--max-body-mib", read->max_body_mib, "Largest body of a request, in MiB")->check(CLI::Range(1, 2047));
  app.add_option("--max-connections", options.limits.connections, "Connections at the same time")
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--pre-stop-ms", read->pre_stop_ms, "How long requests are still taken after a signal")
      ->check(CLI::Range(0, 3'600'000));
  app.add_option("--exit-timeout", read->exit_timeout, "Seconds after which requests under way are cut off")
      ->check(CLI::Range(0, 3600));
  arguments.then.emplace_back([read, &options] {
    options.limits.body_bytes = read->max_body_mib << 20;
    options.pre_stop = std::chrono::milliseconds(read->pre_stop_ms);
    options.exit_timeout = std::chrono::seconds(read->exit_timeout);
  });
}

/// What this program's packages are made with; --help does not show it.
void add_descriptions(CLI::App& app, Arguments&) {
  const auto prints = [&app](const auto& text_of) {
    return [&app, text_of](const std::string& argument) {
      fmt::print("{}", text_of(command_line::command_table(app), argument));
      throw CLI::Success();
    };
  };
  app.add_option_function<std::string>(
         "--completion", prints([](const auto& table, const auto& shell) { return completion(table, shell); }))
      ->check(CLI::IsMember(command_line::completion_shells()))
      ->group("");
  app.add_flag_function("--manual", [manual = prints([](const auto& table, const auto&) {
                                       return manual_page(table, table.front(), coracle_version());
                                     })](int64_t) { manual(""); })
      ->group("");
}

void add_pictures(CLI::App& app, Arguments& arguments) {
  struct Read {
    std::vector<std::string> readers;
    int64_t max_mebi_pixels = PictureLimits().max_pixels >> 20;
  };
  const auto read = std::make_shared<Read>();
  PictureOptions& pictures = arguments.options.pictures;
  app.add_option("--reader", read->readers,
                 "Models that read text together: NAME=detector,recognizer[,classifier][,dictionary=FILE]")
      ->allow_extra_args(false);
  app.add_option("--max-mebipixels", read->max_mebi_pixels, "Largest picture, in units of 1048576 pixels")
      ->check(CLI::Range(1, 128));
  app.add_option("--picture-threads", pictures.workers,
                 "Pictures that are prepared, or wait for models, at the same time; 0: processors and 16")
      ->check(CLI::Range(0, 1024));
  app.add_option("--max-picture-queue", pictures.max_waiting, "Pictures that wait for such a thread at most")
      ->check(CLI::Range(1, 1'000'000));
  arguments.then.emplace_back([read, &options = arguments.options] {
    options.pictures.limits.max_pixels = read->max_mebi_pixels << 20;
    const auto& models = options.repository.models;
    std::vector<std::pair<std::string, std::string>> names = models;
    for (const std::string& reader : read->readers) {
      const TextReaderModels& given = options.pictures.readers.emplace_back(text_reader_models(reader));
      names.emplace_back(given.name, "");
      for (const std::string& model : {given.detector, given.recognizer, given.classifier}) {
        const bool known = model.empty() || !options.repository.folder.empty() ||
                           std::any_of(models.begin(), models.end(), [&](const auto& m) { return m.first == model; });
        if (!known) {
          throw Failure(Code::kInvalidArgument, "--reader: there is no model '" + model +
                                                    "' among those to be served, of which '" + given.name +
                                                    "' is to be made");
        }
      }
    }
    check_model_names(names);
  });
}

void add_observing(CLI::App& app, Arguments& arguments) {
  ObserverOptions& observer = arguments.options.observer;
  app.add_option("--access-log", observer.access_log,
                 "File that gets a line of JSON for each request, opened again after SIGHUP; -: standard output");
  app.add_option("--trace-endpoint", observer.trace_endpoint,
                 "Where traces go, by OTLP over HTTP: http://localhost:4318/v1/traces")
      ->check([](const std::string& url) -> std::string {
        try {
          parse_http_url(url);
        } catch (const Failure& failure) {
          return failure.what();
        }
        return {};
      });
  app.add_option("--trace-rate", observer.trace_rate, "Share of requests that are traced where clients do not say")
      ->check(CLI::Range(0.0, 1.0));
}

}  // namespace

std::optional<ServerOptions> read_command_line(int argc, char** argv, int& status) {
  CLI::App app("Serves PaddlePaddle models over HTTP and gRPC, by the Open Inference Protocol.", "coracle-serve");
  app.footer(kFooter);
  app.option_defaults()->always_capture_default();
  app.set_version_flag("--version", std::string("coracle-serve ") + coracle_version());
  app.set_config("--config", "", "File with options, a line each: host = \"0.0.0.0\"");
  Arguments arguments;
  for (const auto add : {add_model_options, add_addresses, add_tls, add_scheduling, add_warm_up, add_learning,
                         add_memory, add_limits, add_page, add_pictures, add_observing, add_descriptions})
    add(app, arguments);
  try {
    app.parse(argc, argv);
    for (const std::function<void()>& then : arguments.then) then();
  } catch (const CLI::ParseError& e) {
    status = app.exit(e) == 0 ? 0 : 2;
    return std::nullopt;
  } catch (const Failure& e) {
    if (e.code() != Code::kInvalidArgument) throw;
    status = 2;
    app.exit(CLI::ValidationError(e.what()));
    return std::nullopt;
  }
  return std::move(arguments.options);
}

}  // namespace coracle::serve
