// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/failure.h"

namespace coracle::cli {
namespace {

constexpr const char* kFooter =
    "Exit codes: 0 ok, 1 run failure, 2 usage, 3 model invalid, 4 unsupported operator or feature, 5 input/output, 6 "
    "out of memory.\n"
    "\nExamples:\n"
    "  coracle inspect inference.pdmodel\n"
    "  coracle run model_dir --shape x=1,3,640,640 --output-dir out\n"
    "  coracle run inference.json --input x=image.npy --threads 2 --json\n"
    "  coracle bench inference.pdmodel --shape x=1,3,48,320 --threads 1 --repeat 50 --json\n"
    "  coracle profile inference.pdmodel --shape x=1,3,640,640 -o trace.json";

void add_model(CLI::App* command, ModelArguments& m) {
  command->add_option("model", m.model, "directory, program file (.pdmodel, __model__, .json) or parameter file")
      ->required();
  command->add_option("--params", m.params, "parameter file, where Paddle's naming rules do not find it");
  command->add_option("--isa", m.options.cpu_isa, "widest instruction set to use: sse2, avx2, avx512, neon");
  command->add_option("--disable-passes", m.options.disable_passes, "rewrites to leave out, comma-separated, or all");
  command->add_option("--max-rewrites", m.options.max_rewrites, "stop after that many rewrites (to bisect)");
  command->add_option("--disable-kernels", m.options.disable_kernels, "prefixes of kernel names to leave out");
}

void add_session(CLI::App* command, SessionArguments& s) {
  command->add_option("--input", s.inputs.files, "NAME=FILE.npy|FILE.png|FILE.jpg");
  command->add_option("--shape", s.inputs.shapes, "NAME=1,3,224,224: shape of made-up values, or size of a picture");
  command->add_option("--lod", s.inputs.lods, "NAME=0,3,7[/0,1,...]: sequence offsets, coarsest level first");
  command->add_option("--seed", s.inputs.seed, "text that made-up values come from");
  command->add_option("--threads", s.options.threads, "threads, 0: one per core")->check(CLI::Range(0, 1024));
  command->add_option("--memory-limit", s.options.memory_limit,
                      "bytes for intermediate tensors and outputs, 0: no limit");
  command->add_option("--cache-bytes", s.options.cache_bytes, "bytes of plans kept for shapes seen before");
}

int main_guarded(int argc, char** argv) {
  CLI::App app("Runs PaddlePaddle models.", "coracle");
  app.footer(kFooter);
  app.set_version_flag("--version", coracle_version());
  app.require_subcommand(1);
  ModelArguments model;
  SessionArguments session;
  RunArguments run_arguments;
  BenchArguments bench_arguments;
  bool json = false;
  int repeat = 5;
  std::string trace;

  CLI::App* run_command = app.add_subcommand("run", "Runs a model once");
  add_model(run_command, model);
  add_session(run_command, session);
  run_command->add_option("--output-dir", run_arguments.output_dir, "write outputs to DIR/0.npy, DIR/1.npy, ...");
  run_command->add_flag("--json", run_arguments.json, "print JSON");
  CLI::App* inspect_command = app.add_subcommand("inspect", "Says what is in a model");
  add_model(inspect_command, model);
  inspect_command->add_flag("--json", json, "print JSON");
  CLI::App* explain_command =
      app.add_subcommand("explain", "Says which kernel runs each node, and why not a better one");
  add_model(explain_command, model);
  add_session(explain_command, session);
  explain_command->add_flag("--json", json, "print JSON");
  CLI::App* bench_command = app.add_subcommand("bench", "Measures load, first run and later runs");
  add_model(bench_command, model);
  add_session(bench_command, session);
  bench_command->add_option("--repeat", bench_arguments.repeat, "measured runs")->check(CLI::Range(1, 1000000));
  bench_command->add_option("--warmup", bench_arguments.warmup, "runs before, the first included")
      ->check(CLI::Range(1, 1000000));
  bench_command->add_flag("--json", bench_arguments.json, "print JSON");
  CLI::App* profile_command = app.add_subcommand("profile", "Measures each node");
  add_model(profile_command, model);
  add_session(profile_command, session);
  profile_command->add_option("--repeat", repeat, "runs; the last one is shown")->check(CLI::Range(1, 1000000));
  profile_command->add_option("-o,--output", trace, "write a Chrome trace");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    const int code = app.exit(e);
    return code == 0 ? 0 : static_cast<int>(ExitCode::kUsage);
  }
  if (*run_command) run(model, session, run_arguments);
  if (*inspect_command) inspect(model, json);
  if (*explain_command) explain(model, session, json);
  if (*bench_command) bench(model, session, bench_arguments);
  if (*profile_command) profile(model, session, repeat, trace);
  return 0;
}

}  // namespace
}  // namespace coracle::cli

int main(int argc, char** argv) {
  using coracle::cli::ExitCode;
  const auto fail = [](ExitCode code, const char* message) {
    fmt::print(stderr, "coracle: {}\n", message);
    return static_cast<int>(code);
  };
  try {
    return coracle::cli::main_guarded(argc, argv);
  } catch (const coracle::cli::Failure& e) {
    return fail(e.code(), e.what());
  } catch (const coracle::api::Exception& e) {
    return fail(coracle::cli::exit_code(e.status()), e.what());
  } catch (const std::bad_alloc&) {
    return fail(ExitCode::kOutOfMemory, "out of memory");
  } catch (const std::exception& e) {
    return fail(ExitCode::kRunFailure, e.what());
  }
}
