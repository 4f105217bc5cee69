// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "cli/command_table.h"
#include "cli/commands.h"
#include "cli/failure.h"
#include "cli/options.h"

namespace coracle::cli {
namespace {

constexpr const char* kFooter =
    "Exit codes: 0 ok, 1 run failure, 2 usage, 3 model invalid, 4 unsupported operator or feature, 5 input/output, 6 "
    "out of memory, 130 interrupted.\n"
    "\nExamples:\n"
    "  coracle inspect inference.pdmodel\n"
    "  coracle run model_dir --shape x=1,3,640,640 --output-dir out\n"
    "  coracle bench inference.pdmodel --shape x=1,3,48,320 --threads 1 --repeat 50 --json\n"
    "'coracle COMMAND --help' has more of each command.";

constexpr const char* kRunFooter =
    "Inputs without a file get made-up values: the same for the same seed, name and shape.\n"
    "\nExamples:\n"
    "  coracle run model_dir --shape x=1,3,640,640 --output-dir out\n"
    "  coracle run inference.json --input x=image.npy --threads 2 --json\n"
    "  coracle run __model__ --params __params__ --input image=photo.jpg --shape image=1,3,224,224\n"
    "  coracle run classifier --input x=photos/ --resize short:256 --mean 0.485,0.456,0.406 --std 0.229,0.224,0.225\n"
    "      --jobs 2 --json     each file of a folder, for a model that was trained so\n"
    "  coracle run model_dir --input inputs.npz     arrays by the names of inputs\n"
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

constexpr const char* kGraphFooter =
    "Examples:\n"
    "  coracle graph model_dir -o model.html                 to open in a browser; needs no network\n"
    "  coracle graph model_dir --stage loaded -o before.svg  before the first rewrite\n"
    "  coracle graph model_dir | dot -Tpdf -o model.pdf      by Graphviz";

constexpr const char* kCompletionFooter =
    "Examples:\n"
    "  source <(coracle completion bash)                                       in ~/.bashrc\n"
    "  coracle completion zsh >~/.zfunc/_coracle                               in a folder of fpath\n"
    "  coracle completion fish >~/.config/fish/completions/coracle.fish";

constexpr const char* kManualFooter =
    "Examples:\n"
    "  coracle manual run | man -l -\n"
    "  coracle manual --output-dir /usr/local/share/man/man1";

void add_model(CLI::App* command, ModelArguments& m) {
  command->add_option("model", m.model, "directory, program file (.pdmodel, __model__, .json) or parameter file")
      ->required();
  command->add_option("--params", m.params, "parameter file, where Paddle's naming rules do not find it");
}

void add_model_options(CLI::App* command, ModelArguments& m) {
  add_model(command, m);
  command->add_option("--isa", m.options.cpu_isa, "widest instruction set to use")->type_name("sse2|avx2|avx512|neon");
  command->add_option("--disable-passes", m.options.disable_passes, "rewrites to leave out, comma-separated, or all");
  command->add_option("--max-rewrites", m.options.max_rewrites, "stop after that many rewrites (to bisect)");
  command->add_option("--disable-kernels", m.options.disable_kernels, "prefixes of kernel names to leave out");
  command->add_option("--precision", m.options.precision, "of products on matrix tiles")
      ->type_name("strict|default|high|bf16");
  command
      ->add_option("--weights", m.options.weights,
                   "how weights are held; mapped: shared with other processes, their file must not change")
      ->type_name("copied|mapped|automatic");
  command->add_flag("--emulate-tiles", m.options.emulate_tiles, "compute what matrix tiles would, on any machine");
}

void add_session(CLI::App* command, SessionArguments& s) {
  add_inputs(command, s.inputs);
  command->add_option("--threads", s.options.threads, "threads at most, 0: as many as there are processors")
      ->check(CLI::Range(0, 1024));
  add_bytes(command, "--memory-limit", s.options.memory_limit,
            "for intermediate tensors and outputs (bytes, 100MB, 1.5GiB), 0: no limit");
  command->add_option("--time-limit", s.options.time_limit_ms, "milliseconds for one run, 0: no limit")
      ->check(CLI::NonNegativeNumber);
  add_bytes(command, "--cache-bytes", s.options.cache_bytes, "for plans of shapes seen before (bytes, 100MB, 1.5GiB)");
}

std::string unknown_command(const CLI::App& app, const std::string& given) {
  std::vector<std::string> names;
  std::string list;
  for (const CommandRow& row : command_table(app)) {
    if (row.name == app.get_name()) continue;
    names.push_back(row.name);
    list.append(list.empty() ? "" : ", ").append(row.name);
  }
  const std::string meant = nearest(given, names);
  return "there is no command '" + given + "'" + (meant.empty() ? "" : "; did you mean '" + meant + "'?") +
         "; the commands are " + list;
}

int main_guarded(int argc, char** argv) {
  CLI::App app("Runs PaddlePaddle models.", "coracle");
  app.footer(kFooter);
  app.set_version_flag("--version", coracle_version());
  app.require_subcommand(1);
  app.option_defaults()->always_capture_default();
  app.formatter(std::make_shared<Help>());
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
  run_command->add_option("--output-dir", run_arguments.output_dir,
                          "write outputs to DIR/0.npy, DIR/1.npy, ...; of a folder of inputs to DIR/FILE/0.npy, ...");
  CLI::Option* run_json = run_command->add_flag("--json", run_arguments.json, "print JSON; a line for each file");
  run_command->add_flag("--values", run_arguments.values, "all elements in JSON")->needs(run_json);
  run_command->add_option("--jobs", run_arguments.jobs, "files of a folder at a time, each in a session of its own")
      ->check(CLI::Range(1, 1024));
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
  std::string stage = "final";
  std::string drawing;
  CLI::App* graph_command = app.add_subcommand("graph", "Draws a model's graph");
  graph_command->footer(kGraphFooter);
  add_model_options(graph_command, model);
  graph_command->add_option("--stage", stage, "loaded (as in the file), final, or a rewrite's name: behind that");
  graph_command->add_option("-o,--output", drawing,
                            "FILE.html (a page to search and fold), .svg, .dot or .txt; without: dot, printed");

  std::string shell;
  CLI::App* completion_command = app.add_subcommand("completion", "Prints completions of commands and options");
  completion_command->footer(kCompletionFooter);
  completion_command->add_option("shell", shell, "whose")
      ->required()
      ->type_name("bash|zsh|fish")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}).description(""));
  std::string page = "coracle";
  std::string pages;
  CLI::App* manual_command = app.add_subcommand("manual", "Prints pages of the manual (roff)");
  manual_command->footer(kManualFooter);
  manual_command->add_option("command", page, "whose page");
  manual_command->add_option("--output-dir", pages, "write all pages: DIR/coracle.1, DIR/coracle-run.1, ...");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);  // --help, --version
    if (argc > 1 && argv[1][0] != '-' && app.get_subcommands().empty()) {
      throw Failure(ExitCode::kUsage, unknown_command(app, argv[1]));
    }
    throw Failure(ExitCode::kUsage, leftover_message(app, e.what()) + "; 'coracle --help' explains");
  }
  if (*run_command) run(model, session, run_arguments);
  if (*inspect_command) inspect(model, session.inputs, json);
  if (*explain_command) explain(model, session, json);
  if (*bench_command) bench(model, session, bench_arguments);
  if (*completion_command) fmt::print("{}", completion(command_table(app), shell));
  if (*manual_command && pages.empty()) fmt::print("{}", manual(command_table(app), page, coracle_version()));
  if (*manual_command && !pages.empty()) write_manuals(command_table(app), pages, coracle_version());
  if (*graph_command) graph(model, stage, drawing);
  if (*profile_command) profile(model, session, repeat, nodes, trace);
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
