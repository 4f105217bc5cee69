// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "cli/commands.h"
#include "cli/failure.h"

namespace coracle::cli {
namespace {

constexpr const char* kFooter =
    "Exit codes: 0 ok, 1 run failure, 2 usage, 3 model invalid, 4 unsupported operator or feature, 5 input/output, 6 "
    "out of memory, 130 interrupted.\n"
    "\nExamples:\n"
    "  coracle inspect inference.pdmodel\n"
    "  coracle run model_dir --shape x=1,3,640,640 --output-dir out\n"
    "  coracle bench inference.pdmodel --shape x=1,3,48,320 --threads 1 --repeat 50 --json\n"
    "  coracle predict model_dir photo.jpg\n"
    "'coracle COMMAND --help' has more of each command.";

constexpr const char* kRunFooter =
    "Inputs without a file get made-up values: the same for the same seed, name and shape.\n"
    "\nExamples:\n"
    "  coracle run model_dir --shape x=1,3,640,640 --output-dir out\n"
    "  coracle run inference.json --input x=image.npy --threads 2 --json\n"
    "  coracle run __model__ --params __params__ --input image=photo.jpg --shape image=1,3,224,224\n"
    "  coracle run tagger --input words=words.npy --lod words=0,3,7";

constexpr const char* kInspectFooter =
    "Examples:\n"
    "  coracle inspect inference.pdmodel\n"
    "  coracle inspect model_dir --json\n"
    "  coracle inspect model_dir --shape x=1,3,640,640     with the memory of such a run";

constexpr const char* kExplainFooter =
    "Examples:\n"
    "  coracle explain model_dir --shape x=1,3,640,640\n"
    "  coracle explain model_dir --shape x=1,3,640,640 --isa avx2 --disable-kernels conv2d.winograd";

constexpr const char* kBenchFooter =
    "Examples:\n"
    "  coracle bench model_dir --shape x=1,3,640,640 --threads 2\n"
    "  coracle bench inference.json --shape x=8,3,48,320 --warmup 5 --repeat 200 --json";

constexpr const char* kProfileFooter =
    "Examples:\n"
    "  coracle profile model_dir --shape x=1,3,640,640\n"
    "  coracle profile model_dir --shape x=1,3,640,640 --nodes          node by node, the slowest first\n"
    "  coracle profile model_dir --shape x=1,3,640,640 -o trace.json     for chrome://tracing or ui.perfetto.dev";

constexpr const char* kPredictFooter =
    "What is done to a picture before the model runs, and what its outputs mean, is read from inference.yml beside the "
    "model (PaddleX, PaddleClas, PaddleOCR), infer_cfg.yml (PaddleDetection) or deploy.yaml (PaddleSeg). Pictures that "
    "cannot be read are named and do not stop the others; the exit code is then 5.\n"
    "\nExamples:\n"
    "  coracle predict PP-LCNet_x1_0_infer cat.jpg dog.jpg\n"
    "  coracle predict PP-OCRv5_mobile_det_infer scans --draw out --json\n"
    "  coracle predict old_model photos --task classification --labels classes.txt --topk 3 --csv";

void add_predict(CLI::App* command, PredictArguments& p) {
  command->footer(kPredictFooter);
  command->add_option("model", p.model, "directory, program file or parameter file, with inference.yml beside it")
      ->required();
  command->add_option("pictures", p.pictures, "PNG or JPEG files, or folders of them")->required();
  command->add_option("--params", p.options.params, "parameter file, where Paddle's naming rules do not find it");
  command->add_option("--description", p.options.description, "an inference.yml elsewhere");
  command->add_option(
      "--task", p.task,
      "for a model without inference.yml: classification, multilabel, text-detection, text-recognition, "
      "segmentation");
  command->add_option("--labels", p.options.labels, "file with the name of a class, or a character, per line");
  command->add_option("--topk", p.options.topk, "classes at most")->check(CLI::Range(1, 1000000));
  command->add_option("--threshold", p.options.threshold, "least score of labels, boxes and objects")
      ->check(CLI::Range(0.0, 1.0));
  command->add_option("--threads", p.options.threads, "threads at most, 0: as many as there are processors")
      ->check(CLI::Range(0, 1024));
  command->add_option("--draw", p.drawings, "draw what was found: DIR/NAME_answer.png for each picture");
  CLI::Option* json = command->add_flag("--json", p.json, "print a line of JSON for each picture");
  command->add_flag("--csv", p.csv, "print a table with commas")->excludes(json);
}

void add_model(CLI::App* command, ModelArguments& m) {
  command->add_option("model", m.model, "directory, program file (.pdmodel, __model__, .json) or parameter file")
      ->required();
  command->add_option("--params", m.params, "parameter file, where Paddle's naming rules do not find it");
}

void add_model_options(CLI::App* command, ModelArguments& m) {
  add_model(command, m);
  command->add_option("--isa", m.options.cpu_isa, "widest instruction set to use: sse2, avx2, avx512, neon");
  command->add_option("--disable-passes", m.options.disable_passes, "rewrites to leave out, comma-separated, or all");
  command->add_option("--max-rewrites", m.options.max_rewrites, "stop after that many rewrites (to bisect)");
  command->add_option("--disable-kernels", m.options.disable_kernels, "prefixes of kernel names to leave out");
  command->add_option("--precision", m.options.precision, "of products on matrix tiles: strict, default, high, bf16");
  command->add_option("--weights", m.options.weights,
                      "copied, mapped (shared with other processes; their file must not change), or automatic");
  command->add_flag("--emulate-tiles", m.options.emulate_tiles, "compute what matrix tiles would, on any machine");
}

void add_inputs(CLI::App* command, InputOptions& inputs) {
  command->add_option("--shape", inputs.shapes, "NAME=1,3,224,224: shape of made-up values, or size of a picture");
  command->add_option("--input", inputs.files, "NAME=FILE.npy|FILE.png|FILE.jpg");
  command->add_option("--lod", inputs.lods, "NAME=0,3,7[/0,1,...]: sequence offsets, coarsest level first");
  command->add_option("--seed", inputs.seed, "text that made-up values come from");
}

void add_session(CLI::App* command, SessionArguments& s) {
  add_inputs(command, s.inputs);
  command->add_option("--threads", s.options.threads, "threads at most, 0: as many as there are processors")
      ->check(CLI::Range(0, 1024));
  command->add_option("--memory-limit", s.options.memory_limit,
                      "bytes for intermediate tensors and outputs, 0: no limit");
  command->add_option("--time-limit", s.options.time_limit_ms, "milliseconds for one run, 0: no limit")
      ->check(CLI::NonNegativeNumber);
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
  bool nodes = false;
  int repeat = 5;
  std::string trace;

  CLI::App* run_command = app.add_subcommand("run", "Runs a model once");
  run_command->footer(kRunFooter);
  add_model_options(run_command, model);
  add_session(run_command, session);
  run_command->add_option("--output-dir", run_arguments.output_dir, "write outputs to DIR/0.npy, DIR/1.npy, ...");
  run_command->add_flag("--json", run_arguments.json, "print JSON");
  CLI::App* inspect_command = app.add_subcommand("inspect", "Says what is in a model");
  inspect_command->footer(kInspectFooter);
  add_model(inspect_command, model);
  add_inputs(inspect_command, session.inputs);
  inspect_command->add_flag("--json", json, "print JSON");
  CLI::App* explain_command =
      app.add_subcommand("explain", "Says which kernel runs each node, and why not a better one");
  explain_command->footer(kExplainFooter);
  add_model_options(explain_command, model);
  add_session(explain_command, session);
  explain_command->add_flag("--json", json, "print JSON");
  CLI::App* bench_command = app.add_subcommand("bench", "Measures load, first run and later runs");
  bench_command->footer(kBenchFooter);
  add_model_options(bench_command, model);
  add_session(bench_command, session);
  bench_command->add_option("--repeat", bench_arguments.repeat, "measured runs")->check(CLI::Range(1, 1000000));
  bench_command->add_option("--warmup", bench_arguments.warmup, "runs before, the first included")
      ->check(CLI::Range(1, 1000000));
  bench_command->add_flag("--json", bench_arguments.json, "print JSON");
  CLI::App* profile_command = app.add_subcommand("profile", "Measures each node");
  profile_command->footer(kProfileFooter);
  add_model_options(profile_command, model);
  add_session(profile_command, session);
  profile_command->add_option("--repeat", repeat, "runs; the last one is shown")->check(CLI::Range(1, 1000000));
  profile_command->add_flag("--nodes", nodes, "a line for each node, not for each operator");
  profile_command->add_option("-o,--output", trace, "write a Chrome trace");
  PredictArguments predict_arguments;
  CLI::App* predict_command = app.add_subcommand("predict", "Says what pictures show, as inference.yml describes it");
  add_predict(predict_command, predict_arguments);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);  // --help, --version
    if (argc > 1 && argv[1][0] != '-' && app.get_subcommands().empty()) {
      throw Failure(
          ExitCode::kUsage,
          fmt::format("there is no command '{}'; the commands are run, inspect, explain, bench, profile and predict",
                      argv[1]));
    }
    throw Failure(ExitCode::kUsage, std::string(e.what()) + "; 'coracle --help' explains");
  }
  if (*run_command) run(model, session, run_arguments);
  if (*inspect_command) inspect(model, session.inputs, json);
  if (*explain_command) explain(model, session, json);
  if (*bench_command) bench(model, session, bench_arguments);
  if (*profile_command) profile(model, session, repeat, nodes, trace);
  if (*predict_command) predict(predict_arguments);
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    throw Failure(ExitCode::kIo, "the results cannot be written to standard output");
  }
  return 0;
}

}  // namespace
}  // namespace coracle::cli

int main(int argc, char** argv) {
  using coracle::cli::ExitCode;
  const auto fail = [](ExitCode code, const char* message) {
    coracle_set_last_error(message);  // which makes it printable: paths may hold any bytes
    fmt::print(stderr, "coracle: {}\n", coracle_last_error());
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
