// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.h"

#include <fmt/core.h>

#include <cstdio>

#include "cli/command_table.h"
#include "cli/commands.h"
#include "cli/failure.h"
#include "cli/footers.h"
#include "cli/input/inputs.h"
#include "cli/interrupt.h"
#include "cli/model_options.h"
#include "cli/options.h"

namespace coracle::cli {
namespace {

constexpr const char* kDataSets =
    "a run each: folder with NAME.npy for each input, .npz or .json file, or file of the only input; may be given "
    "several times";

/// Whether a failure leaves open what the model declares: that of a run or of its inputs says it itself, and an
/// interrupted command prints one line.
bool prints_other_sizes(const Failure& failure) {
  switch (failure.code()) {
    case ExitCode::kRunFailure:
    case ExitCode::kUsage:
    case ExitCode::kInterrupted: return false;
    default: return true;
  }
}

/// The command `name`, whose options `add` adds to it with what they set, and which `run` runs.
template <class Arguments, class Add, class Run>
void add_command(CLI::App& app, const char* name, const char* description, const char* footer, Add add, Run run) {
  CLI::App* command = app.add_subcommand(name, description);
  command->footer(footer);
  const auto arguments = std::make_shared<Arguments>();
  add(command, *arguments);
  command->callback([arguments, run] {
    try {
      run(*arguments);
    } catch (...) {
      const Failure failure = current_failure();
      if (prints_other_sizes(failure)) print_other_sizes();
      throw;
    }
    print_other_sizes();
  });
}

struct RunCommand {
  ModelArguments model;
  SessionArguments session;
  RunArguments run;
};

void add_run(CLI::App* command, RunCommand& a) {
  add_model_options(command, a.model);
  add_session(command, a.session);
  command->add_option("--output-dir", a.run.output_dir,
                      "write outputs to DIR/0.npy, DIR/1.npy, ...; of a folder of inputs to DIR/FILE/0.npy, ...");
  CLI::Option* json = command->add_flag("--json", a.run.json, "print JSON; a line for each file");
  command->add_flag("--values", a.run.values, "all elements in JSON")->needs(json);
  command->add_option("--jobs", a.run.jobs, "files of a folder at a time, each in a session of its own")
      ->check(CLI::Range(1, 1024));
}

/// Of commands that say something about a model.
struct QueryCommand {
  ModelArguments model;
  SessionArguments session;
  bool json = false;
};

void add_inspect(CLI::App* command, QueryCommand& a) {
  add_model(command, a.model);
  add_inputs(command, a.session.inputs);
  command->add_flag("--check", a.model.options.check_weights, "compare a saved model's weights with their checksums");
  command->add_flag("--json", a.json, "print JSON");
}

void add_explain(CLI::App* command, QueryCommand& a) {
  add_model_options(command, a.model);
  add_session(command, a.session);
  command->add_flag("--json", a.json, "print JSON");
}

void add_doctor(CLI::App* command, QueryCommand& a) {
  add_model(command, a.model)->required(false);
  add_inputs(command, a.session.inputs);
  command->add_flag("--json", a.json, "print JSON");
}

struct OptimizeCommand {
  ModelArguments model;
  SessionArguments session;
  OptimizeArguments optimize;
};

void add_optimize(CLI::App* command, OptimizeCommand& a) {
  add_model(command, a.model);
  command->add_option("-o,--output", a.optimize.output, "file to write or replace, usually NAME.coracle")->required();
  add_session(command, a.session);
  command->add_option("--isa", a.model.options.cpu_isa, "instruction set to pack weights for")
      ->type_name("sse2|avx2|avx512|neon");
  add_engines(command, a.model);
  command->add_flag("!--no-packed", a.optimize.packed,
                    "without packed weights and compiled blocks: a smaller file, a longer first run");
  command->add_option("--disable-passes", a.model.options.disable_passes,
                      "rewrites to leave out, comma-separated, or all");
  command->add_option("--max-rewrites", a.model.options.max_rewrites, "stop after that many rewrites (to bisect)");
}

struct QuantizeCommand {
  ModelArguments model;
  SessionArguments session;
  QuantizeArguments quantize;
};

void add_quantize(CLI::App* command, QuantizeCommand& a) {
  QuantizeArguments& q = a.quantize;
  add_model(command, a.model);
  command->add_option("-o,--output", q.output, "folder, NAME.pdmodel, NAME.json or NAME.coracle to write or replace")
      ->required();
  command->add_option("--data", q.data, kDataSets)->type_name("PATH")->default_str("");
  CLI::Option* weights_only = command->add_option(
      "--weights-only", q.weights_only, "weights alone as int8 or int4, without inputs to measure: smaller files");
  weights_only->check(CLI::IsMember({"int8", "int4"}));
  CLI::Option* half = command->add_flag("--half", q.half, "weights alone as float16")->excludes(weights_only);
  CLI::Option* method =
      command->add_option("--method", q.method, "how far values of operands reach; auto: what answers nearest");
  method->check(CLI::IsMember({"auto", "minmax", "percentile", "mse", "kl"}));
  CLI::Option* percentile =
      command->add_option("--percentile", q.percentile, "percent of the values that are not clipped, with that method");
  percentile->check(CLI::Range(50.0, 100.0));
  command
      ->add_option("--keep", q.keep, "layer that stays in float32, by the name of its result or weights; several times")
      ->allow_extra_args(false);
  command
      ->add_option("--max-drop", q.max_drop,
                   "percent of the decisions that may change: layers that do the most harm stay in float32")
      ->check(CLI::Range(0.0, 100.0));
  command->add_option("--min-snr", q.least_ratio, "signal to noise of all outputs at least, in decibels, in that way")
      ->check(CLI::Range(-100.0, 1000.0));
  CLI::Option* scaling = command->add_option("--scaling", q.scaling,
                                             "factors for channels of operands: fold them into parameters, or insert "
                                             "products too; auto: what answers nearest, "
                                             "products if by 6 dB");
  scaling->check(CLI::IsMember({"auto", "none", "fold", "insert"}));
  CLI::Option* alpha = command->add_option(
      "--scaling-alpha", q.scaling_alpha,
      "share of operands' ranges in the factors, the rest is that of weights; else the best of four");
  alpha->check(CLI::Range(0.0, 1.0));
  CLI::Option* reduced =
      command->add_flag("--reduce-range", q.reduce_range,
                        "weights of -64 to 64 steps: faster on processors with AVX2 and without VNNI, twice the error");
  CLI::Option* residuals =
      command->add_flag("--round-residuals", q.round_residuals,
                        "sums of a layer's result and another one's operand read that as it is rounded for the layer");
  CLI::Option* bias = command->add_flag("!--no-bias-correction", q.correct_bias, "leave biases as they are");
  // What is done with measured operands.
  for (CLI::Option* measured : {method, percentile, scaling, alpha, reduced, residuals, bias})
    measured->excludes(weights_only, half);
  command->add_option("--report", q.report, "FILE.html, a page with plots, or a file for what --json prints");
  command->add_option("--state", q.state,
                      "FILE that keeps what was measured: the same command goes on from there when it was interrupted");
  command->add_flag("--json", q.json, "print JSON");
  add_session(command, a.session);
}

struct ShapesCommand {
  ModelArguments model;
  SessionArguments session;
  ShapesArguments shapes;
};

void add_collected_shapes(CLI::App* command, ShapesCommand& a) {
  add_model(command, a.model);
  command->add_option("-o,--output", a.shapes.output, "file to write or replace, usually shape_range_info.pbtxt")
      ->required();
  command->add_option("--data", a.shapes.data, kDataSets)->type_name("PATH")->default_str("");
  add_session(command, a.session);
}

struct BenchCommand {
  ModelArguments model;
  SessionArguments session;
  BenchArguments bench;
};

void add_bench(CLI::App* command, BenchCommand& a) {
  add_model_options(command, a.model);
  add_session(command, a.session);
  CLI::Option* repeats = command->add_option("--repeat", a.bench.repeat, "measured runs of each session");
  repeats->check(CLI::Range(1, 1000000));
  command->add_option("--duration", a.bench.duration, "seconds of measured runs")
      ->check(CLI::Range(1e-3, 1e6))
      ->excludes(repeats);
  command->add_option("--sessions", a.bench.sessions, "sessions that run at once and share the weights")
      ->check(CLI::Range(1, Interruption::kMostRuns));
  command->add_option("--warmup", a.bench.warmup, "runs before, the first included")->check(CLI::Range(1, 1000000));
  command->add_flag("--json", a.bench.json, "print JSON");
}

void add_compare_options(CLI::App* command, CompareArguments& c) {
  command->add_option("other", c.other, "the second model; without it the first under other options");
  command->add_option("--a", c.a, "KEY=VALUE: option of the first side only")->allow_extra_args(false);
  command->add_option("--b", c.b, "KEY=VALUE: option of the second side only")->allow_extra_args(false);
  command->add_option("--data", c.data, "folder with NAME.npy for each input; may be given several times")
      ->allow_extra_args(false);
  command->add_option("--seeds", c.seeds, "sets of made-up inputs")->check(CLI::Range(1, 100000));
  command
      ->add_option("--expected", c.expected, "folder with NAME.npy or 0.npy, 1.npy, ... of results; or NAME=FILE.npy")
      ->allow_extra_args(false);
  command->add_option("--engine", c.engine, "what runs the second side, through its Python package")
      ->check(CLI::IsMember({"paddle", "onnxruntime"}));
  command->add_option("--python", c.python, "interpreter that has the package");
  command->add_option("--rtol", c.tolerance.relative, "relative tolerance of real numbers");
  command->add_option("--atol", c.tolerance.absolute, "absolute tolerance of real numbers");
  command->add_flag("--operators", c.operators, "show the difference of each operator's result");
  command->add_flag("!--no-locate", c.locate, "do not look for what is responsible");
  command->add_flag("--json", c.json, "print JSON");
}

struct CompareCommand {
  ModelArguments model;
  SessionArguments session;
  CompareArguments compare;
};

void add_compare(CLI::App* command, CompareCommand& a) {
  add_model_options(command, a.model);
  add_compare_options(command, a.compare);
  add_session(command, a.session);
}

struct ProfileCommand {
  ModelArguments model;
  SessionArguments session;
  ProfileArguments profile;
};

void add_profile(CLI::App* command, ProfileCommand& a) {
  add_model_options(command, a.model);
  add_session(command, a.session);
  command->add_option("--repeat", a.profile.repeat, "runs; the last one is shown")->check(CLI::Range(1, 1000000));
  command->add_flag("--nodes", a.profile.nodes, "a line for each node, not for each operator");
  command->add_option("-o,--output", a.profile.trace, "write a Chrome trace, a lane for each thread");
  command->add_flag("--json", a.profile.json, "print JSON, with every call");
}

void add_predict(CLI::App* command, PredictArguments& p) {
  command->footer(kPredictFooter);
  command->add_option("model", p.model, "directory, program file or parameter file, with inference.yml beside it")
      ->required();
  command->add_option("pictures", p.pictures, "PNG, JPEG, BMP or WebP files, or folders of them")->required();
  command->add_option("--params", p.options.params, "parameter file, where Paddle's naming rules do not find it");
  command->add_option("--description", p.options.description, "an inference.yml elsewhere");
  command->add_option(
      "--task", p.task,
      "for a model without inference.yml: classification, multilabel, text-detection, text-recognition, "
      "segmentation, table-structure, unwarping, features, keypoints, anomaly");
  command->add_option("--labels", p.options.labels, "file with the name of a class, a character or a token per line");
  command->add_option("--topk", p.options.topk, "classes at most")->check(CLI::Range(1, 1000000));
  command->add_option("--threshold", p.options.threshold, "least score of labels, boxes, objects and points")
      ->check(CLI::Range(0.0, 1.0));
  command->add_option("--threads", p.options.threads, "threads at most, 0: as many as there are processors")
      ->check(CLI::Range(0, 1024));
  add_cpus(command);
  command->add_option("--draw", p.drawings, "draw what was found: DIR/NAME_answer.png for each picture");
  CLI::Option* json = command->add_flag("--json", p.json, "print a line of JSON for each picture");
  command->add_flag("--csv", p.csv, "print a table with commas")->excludes(json);
}

struct GraphCommand {
  ModelArguments model;
  InputOptions inputs;
  std::string stage = "final";
  std::string output;
};

void add_graph(CLI::App* command, GraphCommand& a) {
  add_model_options(command, a.model);
  add_inputs(command, a.inputs);
  command->add_option("--stage", a.stage, "loaded (as in the file), final, or a rewrite's name: behind that");
  command->add_option("-o,--output", a.output,
                      "FILE.html (a page to search and fold), .svg, .dot or .txt; without: dot, printed");
}

struct CompletionCommand {
  std::string shell;
};

void add_completion(CLI::App* command, CompletionCommand& a) {
  command->add_option("shell", a.shell, "whose")
      ->required()
      ->type_name("bash|zsh|fish")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}).description(""));
}

struct ManualCommand {
  std::string page = "coracle";
  std::string folder;
};

void add_manual(CLI::App* command, ManualCommand& a) {
  command->add_option("command", a.page, "whose page");
  command->add_option("--output-dir", a.folder, "write all pages: DIR/coracle.1, DIR/coracle-run.1, ...");
}

}  // namespace

void add_commands(CLI::App& app) {
  add_command<RunCommand>(app, "run", "Runs a model once", kRunFooter, add_run,
                          [](const RunCommand& a) { run(a.model, a.session, a.run); });
  add_command<QueryCommand>(app, "inspect", "Says what is in a model", kInspectFooter, add_inspect,
                            [](const QueryCommand& a) { inspect(a.model, a.session.inputs, a.json); });
  add_command<QueryCommand>(app, "explain", "Says which kernel runs each node, and why not a better one",
                            kExplainFooter, add_explain,
                            [](const QueryCommand& a) { explain(a.model, a.session, a.json); });
  add_command<OptimizeCommand>(app, "optimize", "Saves a model for fast loading", kOptimizeFooter, add_optimize,
                               [](const OptimizeCommand& a) { optimize(a.model, a.session, a.optimize); });
  add_command<BenchCommand>(app, "bench", "Measures load, first run and later runs", kBenchFooter, add_bench,
                            [](const BenchCommand& a) { bench(a.model, a.session, a.bench); });
  add_command<ProfileCommand>(app, "profile", "Measures each node", kProfileFooter, add_profile,
                              [](const ProfileCommand& a) { profile(a.model, a.session, a.profile); });
  add_command<ShapesCommand>(app, "shapes", "Writes the shapes that variables have in runs, for engines", kShapesFooter,
                             add_collected_shapes,
                             [](const ShapesCommand& a) { shapes(a.model, a.session, a.shapes); });
  add_command<QuantizeCommand>(app, "quantize", "Makes a model of int8 from one of float32", kQuantizeFooter,
                               add_quantize,
                               [](const QuantizeCommand& a) { quantize(a.model, a.session, a.quantize); });
  add_command<CompareCommand>(app, "compare", "Compares outputs of two models, options or engines", kCompareFooter,
                              add_compare, [](const CompareCommand& a) { compare(a.model, a.session, a.compare); });
  add_command<PredictArguments>(app, "predict", "Says what pictures show, as inference.yml describes it",
                                kPredictFooter, add_predict, predict);
  add_command<GraphCommand>(app, "graph", "Draws a model's graph", kGraphFooter, add_graph,
                            [](const GraphCommand& a) { graph(a.model, a.inputs, a.stage, a.output); });
  add_command<QueryCommand>(
      app, "devices", "Says what runs models here", kDevicesFooter,
      [](CLI::App* command, QueryCommand& a) { command->add_flag("--json", a.json, "print JSON"); },
      [](const QueryCommand& a) { devices(a.json); });
  add_command<QueryCommand>(app, "doctor", "Says what is wrong or slow here, and what to do", kDoctorFooter, add_doctor,
                            [](const QueryCommand& a) { doctor(a.model, a.session.inputs, a.json); });
  add_command<CompletionCommand>(
      app, "completion", "Prints completions of commands and options", kCompletionFooter, add_completion,
      [&app](const CompletionCommand& a) { fmt::print("{}", completion(command_table(app), a.shell)); });
  add_command<ManualCommand>(app, "manual", "Prints pages of the manual (roff)", kManualFooter, add_manual,
                             [&app](const ManualCommand& a) {
                               if (a.folder.empty()) {
                                 fmt::print("{}", manual(command_table(app), a.page, coracle_version()));
                               } else {
                                 write_manuals(command_table(app), a.folder, coracle_version());
                               }
                             });
}

}  // namespace coracle::cli
