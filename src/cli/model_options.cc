// SPDX-License-Identifier: Apache-2.0
#include "cli/model_options.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "cli/interrupt.h"
#include "cli/note.h"
#include "cli/options.h"

namespace coracle::cli {
namespace {

/// Whoever asks for engines is told where they are missing or fail.
void show_warnings(const std::string& /*asked*/) {
  const auto show = [](void* /*user*/, coracle_log_level /*level*/, const char* message) {
    note("coracle: warning: {}\n", message);
  };
  coracle_set_logger(CORACLE_LOG_WARNING, show, nullptr);
}

/// Of libraries with commas between.
void load_operators(const std::string& files) {
  for (size_t at = 0; at <= files.size();) {
    const size_t comma = std::min(files.find(',', at), files.size());
    coracle::load_operators(files.substr(at, comma - at));
    at = comma + 1;
  }
}

}  // namespace

coracle::Model load(const ModelArguments& m) {
  return coracle::Model(m.model, m.params, Interruption::interruptible(m.options));
}

ModelArguments as_in_the_file(ModelArguments m) {
  m.options.disable_passes = "all";
  m.options.disable_kernels = "row_tiles,strided";
  return m;
}

void add_engines(CLI::App* command, ModelArguments& m) {
  command
      ->add_option(
          "--engines", m.options.engines,
          "engines that run parts of the model, comma-separated, in order of preference; openvino? if it is there")
      ->type_name("LIST")
      ->each(show_warnings);
  command->add_option("--min-ops", m.options.min_ops, "operators of such a part at least")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 31U));
  command
      ->add_option("--mark", m.options.marks,
                   "operators that go to an engine, or to none (native): ENGINE:NAME, ENGINE=TYPE, ENGINE@SCOPE, "
                   "ENGINE%VARIABLE or "
                   "ENGINE:VARIABLE..VARIABLE, comma-separated")
      ->type_name("LIST")
      ->each(show_warnings);
  command
      ->add_option(
          "--shapes", m.options.shapes,
          "sizes that inputs have at least, mostly and at most, for which engines compile once, comma-separated; or "
          "@FILE of 'coracle shapes'")
      ->type_name("INPUT=LEAST..USUAL..MOST");
}

CLI::Option* add_model(CLI::App* command, ModelArguments& m) {
  command->add_option("--params", m.params, "parameter file, where Paddle's naming rules do not find it");
  // coracle compare has a flag of the short name.
  const bool is_free = command->get_option_no_throw("--operators") == nullptr;
  command
      ->add_option(is_free ? "--operators,--operator-library" : "--operator-library", m.operators,
                   "shared libraries with operators of one's own that the model names, comma-separated")
      ->type_name("FILE")
      ->each(load_operators);
  return command
      ->add_option("model", m.model,
                   "directory, archive of one (.tar, .tar.gz, .zip), saved model (.coracle), file of Paddle Lite "
                   "(.nb), program file (.pdmodel, "
                   "__model__, .json) or parameter file")
      ->required();
}

void add_rewrites(CLI::App* command, ModelArguments& m) {
  command->add_option("--disable-passes", m.options.disable_passes, "rewrites to leave out, comma-separated, or all");
  command->add_option("--max-rewrites", m.options.max_rewrites, "stop after that many rewrites (to bisect)");
}

void add_model_options(CLI::App* command, ModelArguments& m) {
  add_model(command, m);
  command->add_option("--isa", m.options.cpu_isa, "widest instruction set to use")->type_name("sse2|avx2|avx512|neon");
  add_rewrites(command, m);
  command->add_option("--disable-kernels", m.options.disable_kernels, "prefixes of kernel names to leave out");
  command->add_option("--precision", m.options.precision, "of products on matrix units")
      ->type_name("strict|default|int8|high|tf32|bf16|fp16");
  command
      ->add_option("--weights", m.options.weights,
                   "how weights are held; mapped: shared with other processes, their file must not change")
      ->type_name("copied|mapped|automatic");
  command->add_flag("--allow-outside-links", m.options.allow_outside_links,
                    "parameter files may be links out of the model's folder");
  add_bytes(command, "--weights-cache", m.options.weights_cache_bytes,
            "for weights in the order of kernels, kept for all shapes (bytes, 100MB, 1.5GiB); without it, no limit");
  command->add_option("--device", m.options.device, "where operators run if it has kernels for them; others on the cpu")
      ->type_name("cpu|cuda|opencl[:N]");
  add_engines(command, m);
  command->add_flag("--emulate-tiles", m.options.emulate_tiles, "compute what matrix tiles would, on any machine");
}

void add_threads(CLI::App* command, int& threads) {
  command->add_option("--threads", threads, "threads at most, 0: as many as there are processors")
      ->check(CLI::Range(0, 1024));
}

/// Before anything is loaded: what threads write to later lies where they run.
void add_cpus(CLI::App* command) {
  command
      ->add_option_function<std::string>(
          "--cpus", [](const std::string& cpus) { coracle::bind_thread(cpus); },
          "processors to run on: 0-3,8, node1 for those of a NUMA node and its memory, fast, slow or all")
      ->type_name("LIST");
}

void add_data(CLI::App* command, std::vector<std::string>& data) {
  command
      ->add_option("--data", data,
                   "a run each: folder with NAME.npy for each input, .npz or .json file, or file of the only input; "
                   "may be given several times")
      ->type_name("PATH")
      ->default_str("");
}

void add_session(CLI::App* command, SessionArguments& s) {
  add_inputs(command, s.inputs);
  add_threads(command, s.options.threads);
  add_cpus(command);
  command
      ->add_option("--parallel-engines", s.options.parallel_engines,
                   "blocks on engines and native work at the same time at most")
      ->check(CLI::Range(1, 1024));
  add_bytes(command, "--memory-limit", std::vector<size_t*>{&s.options.memory_limit, &s.inputs.memory_limit},
            "for inputs, and for intermediate tensors and outputs (bytes, 100MB, 1.5GiB), 0: no limit");
  command->add_option("--time-limit", s.options.time_limit_ms, "milliseconds for one run, 0: no limit")
      ->check(CLI::Range(0, 1'000'000'000));
  add_bytes(command, "--cache-bytes", s.options.cache_bytes,
            "for plans of shapes seen before (bytes, 100MB, 1.5GiB); without it, what suits the model");
  command
      ->add_option(
          "--padding", s.options.padding,
          "sizes that inputs are padded to: ids=1..8x32..128/32,mask=1..8x32..128/32 (:1 behind a shape adds 1 "
          "instead of 0)")
      ->type_name("INPUT=SHAPE,...");
}

}  // namespace coracle::cli
