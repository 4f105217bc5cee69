// SPDX-License-Identifier: Apache-2.0
#include "cli/compare/compare.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/system/program.h"
#include "cli/commands.h"
#include "cli/compare/engine.h"
#include "cli/compare/side.h"
#include "cli/failure.h"
#include "cli/input/data_sets.h"

namespace coracle::cli {
namespace {

struct CompareCommand {
  ModelArguments model;
  SessionArguments session;
  std::string other;
  std::vector<std::string> a_settings;  ///< KEY=VALUE, options of the first side only
  std::vector<std::string> b_settings;  ///< of the second
  std::vector<std::string> expected;    ///< folders, or NAME=FILE.npy
  std::string engine;                   ///< "paddle", "onnxruntime", "openvino"; empty: this library
  std::string python = internal::kPythonProgram;
  std::vector<std::string> data;  ///< folders with NAME.npy
  int seeds = 1;                  ///< sets of made-up inputs
  Tolerance tolerance;
  bool finds_origin = true;
  bool operators = false;
  bool json = false;

  void add_options(CLI::App* command);
  void run() const;
};

void CompareCommand::add_options(CLI::App* command) {
  command->add_flag("--operators", operators, "show the difference of each operator's result");
  add_model_options(command, model);
  command->add_option("other", other, "the second model; without it the first under other options");
  command->add_option("--a", a_settings, "KEY=VALUE: option of the first side only")->allow_extra_args(false);
  command->add_option("--b", b_settings, "KEY=VALUE: option of the second side only")->allow_extra_args(false);
  command->add_option("--data", data, "folder with NAME.npy for each input; may be given several times")
      ->allow_extra_args(false);
  command->add_option("--seeds", seeds, "sets of made-up inputs")->check(CLI::Range(1, 100000));
  command->add_option("--expected", expected, "folder with NAME.npy or 0.npy, 1.npy, ... of results; or NAME=FILE.npy")
      ->allow_extra_args(false);
  command->add_option("--engine", engine, "what runs the second side, through its Python package")
      ->check(CLI::IsMember({"paddle", "onnxruntime", "openvino"}));
  command->add_option("--python", python, "interpreter that has the package");
  command->add_option("--rtol", tolerance.relative, "relative tolerance of real numbers");
  command->add_option("--atol", tolerance.absolute, "absolute tolerance of real numbers");
  command->add_flag("!--no-locate", finds_origin, "do not look for what is responsible");
  command->add_flag("--json", json, "print JSON");
  add_session(command, session);
}

/// The sets of inputs to compare with: one for each --data, or for each of `seeds`.
std::vector<std::vector<NamedInput>> input_sets(const coracle::Model& model, const InputOptions& given,
                                                const CompareCommand& arguments) {
  const std::vector<coracle::TensorInfo> infos = model.inputs();
  std::vector<InputOptions> sets;
  for (const std::string& folder : arguments.data) {
    sets.push_back(with_data(given, folder, infos));
  }
  for (int i = 0; arguments.data.empty() && i < arguments.seeds; ++i) {
    sets.push_back(given);
    if (i != 0) sets.back().seed += fmt::format("/{}", i);
  }
  std::vector<std::vector<NamedInput>> out;
  for (const InputOptions& options : sets) {
    std::vector<Input> inputs = read_inputs(model, options);
    out.emplace_back();
    for (size_t i = 0; i < inputs.size(); ++i) out.back().push_back({infos[i].name, std::move(inputs[i])});
  }
  return out;
}

std::string label(const std::string& model, const std::vector<std::string>& options) {
  std::string out = model;
  for (const std::string& o : options) out.append("  ").append(o);
  return out;
}

/// Position of a's output `i` among those of b: the one of its name, or with other names the one at its place.
std::optional<size_t> partner(const std::vector<Output>& a, size_t i, const std::vector<Output>& b) {
  const auto named = [](const std::vector<Output>& outputs, const std::string& name) {
    return std::find_if(outputs.begin(), outputs.end(), [&](const Output& o) { return o.name == name; });
  };
  if (const auto found = named(b, a[i].name); found != b.end()) return static_cast<size_t>(found - b.begin());
  const bool other_names =
      std::none_of(b.begin(), b.end(), [&](const Output& o) { return named(a, o.name) != a.end(); });
  return other_names && i < b.size() ? std::optional<size_t>(i) : std::nullopt;
}

std::vector<OutputPair> pairs_of(const std::vector<Output>& a, const std::vector<Output>& b, const Tolerance& tolerance,
                                 std::vector<std::string>* unpaired) {
  std::vector<OutputPair> pairs;
  std::vector<bool> used(b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    const std::optional<size_t> other = partner(a, i, b);
    if (!other) {
      if (unpaired != nullptr) unpaired->push_back(a[i].name + ": only A has this output");
      continue;
    }
    used[*other] = true;
    const client::Tensor& y = b[*other].array;
    pairs.push_back({a[i].name, client::type_text(a[i].array.dtype, a[i].array.dims),
                     client::type_text(y.dtype, y.dims), difference(a[i].array, y, tolerance)});
  }
  for (size_t i = 0; unpaired != nullptr && i < b.size(); ++i) {
    if (!used[i]) unpaired->push_back(b[i].name + ": only B has this output");
  }
  return pairs;
}

bool all_agree(const std::vector<OutputPair>& pairs) {
  return std::all_of(pairs.begin(), pairs.end(), [](const OutputPair& p) { return p.difference.agrees(); });
}

/// Whether `d` is further apart than `than`.
bool worse(const Difference& d, const Difference& than) {
  if (d.mismatch.empty() != than.mismatch.empty()) return !d.mismatch.empty();
  if (d.beyond != than.beyond) return d.beyond > than.beyond;
  return std::isnan(d.max_absolute) || d.max_absolute > than.max_absolute;
}

void keep_worst(std::vector<OutputPair>& all, const std::vector<OutputPair>& pairs) {
  if (all.empty()) all = pairs;
  for (size_t i = 0; i < std::min(all.size(), pairs.size()); ++i) {
    if (worse(pairs[i].difference, all[i].difference)) all[i] = pairs[i];
  }
}

/// Looks for the operator, the kernel and the rewrite that outputs differ by, for one set of inputs.
Origin locate(ModelSide& a, Side& b, const std::vector<NamedInput>& inputs, size_t set, const Tolerance& tolerance) {
  Origin origin;
  auto* const model_b = dynamic_cast<ModelSide*>(&b);
  const std::vector<Output> of_a = a.run(inputs, set);
  const std::vector<Output> of_b = b.run(inputs, set);
  const Agrees a_agrees = [&](const std::vector<Output>& outputs) {
    return all_agree(pairs_of(outputs, of_b, tolerance, nullptr));
  };
  const Agrees b_agrees = [&](const std::vector<Output>& outputs) {
    return all_agree(pairs_of(of_a, outputs, tolerance, nullptr));
  };
  origin.values_shown = b.shows_values();
  if (origin.values_shown) {
    origin.values = compare_values(a, b, inputs, tolerance, false, {});
    if (origin.values.first) {
      origin.kernel_a = a.kernel_of(origin.values.first->a.node, inputs);
      if (model_b != nullptr) origin.kernel_b = model_b->kernel_of(origin.values.first->b.node, inputs);
    }
    if (!origin.kernel_a.empty() && agrees_without_kernels(a, origin.kernel_a, inputs, a_agrees)) {
      origin.kernel = origin.kernel_a;
      origin.kernel_side = "A";
    } else if (!origin.kernel_b.empty() && agrees_without_kernels(*model_b, origin.kernel_b, inputs, b_agrees)) {
      origin.kernel = origin.kernel_b;
      origin.kernel_side = "B";
    }
  }
  origin.rewriting.push_back({"A", find_rewrite(a, inputs, a_agrees)});
  if (model_b != nullptr) origin.rewriting.push_back({"B", find_rewrite(*model_b, inputs, b_agrees)});
  return origin;
}

std::unique_ptr<Side> second_side(const CompareCommand& c, const ModelSide& a, size_t sets) {
  if (!c.expected.empty()) return stored_side(c.expected, a.model().outputs(), sets);
  const std::string& path = c.other.empty() ? c.model.model : c.other;
  if (!c.engine.empty()) return engine_side(c.engine, c.python, path, c.other.empty() ? c.model.params : "");
  ModelArguments arguments = c.model;
  arguments.model = path;
  if (!c.other.empty()) arguments.params.clear();
  coracle::SessionOptions options = c.session.options;
  std::vector<std::string> settings = c.b_settings;
  // A model with itself: rewriting is what there is to doubt.
  if (c.other.empty() && c.a_settings.empty() && c.b_settings.empty()) settings.emplace_back("passes=off");
  for (const std::string& entry : settings) set_side_option("--b", entry, arguments, options);
  return std::make_unique<ModelSide>(label(path, settings), arguments, options);
}

void check_usage(const CompareCommand& c) {
  const int kinds = (c.expected.empty() ? 0 : 1) + (c.engine.empty() ? 0 : 1);
  if (kinds > 1) throw Failure(ExitCode::kUsage, "--expected and --engine are two different second sides: give one");
  if (!c.expected.empty() && !c.other.empty()) {
    throw Failure(ExitCode::kUsage, "--expected " + c.expected[0] + " and the second model " + c.other +
                                        " are two different second sides: give one");
  }
  if (kinds > 0 && !c.b_settings.empty()) {
    throw Failure(ExitCode::kUsage, "--b " + c.b_settings[0] +
                                        ": options are for a second side that is run by this program, not " +
                                        (c.engine.empty() ? "for --expected" : "for --engine"));
  }
  if (!c.data.empty() && c.seeds != 1) {
    throw Failure(ExitCode::kUsage, "--seeds makes up inputs, --data gives them: give one");
  }
  if (!(c.tolerance.relative >= 0) || !(c.tolerance.absolute >= 0)) {
    throw Failure(ExitCode::kUsage, "--rtol and --atol: expected numbers from 0 on");
  }
}

void CompareCommand::run() const {
  check_usage(*this);
  ModelArguments a_arguments = model;
  coracle::SessionOptions a_options = session.options;
  for (const std::string& entry : a_settings) set_side_option("--a", entry, a_arguments, a_options);
  ModelSide a(label(model.model, a_settings), a_arguments, a_options);
  const std::vector<std::vector<NamedInput>> sets = input_sets(a.model(), session.inputs, *this);
  const std::unique_ptr<Side> b = second_side(*this, a, sets.size());

  Comparison comparison;
  comparison.tolerance = tolerance;
  comparison.sets = sets.size();
  std::optional<size_t> bad;
  for (size_t i = 0; i < sets.size(); ++i) {
    std::vector<std::string> unpaired;
    const std::vector<OutputPair> pairs = pairs_of(a.run(sets[i], i), b->run(sets[i], i), tolerance, &unpaired);
    if (!bad && !all_agree(pairs)) bad = i;
    keep_worst(comparison.outputs, pairs);
    comparison.unpaired = unpaired;
  }
  // Only some outputs may be stored.
  if (!expected.empty()) comparison.unpaired.clear();
  comparison.a = a.text();
  comparison.b = b->text();
  if (operators) {
    if (!b->shows_values()) {
      throw Failure(ExitCode::kUsage, "--operators: " + b->text() + " does not show what its operators compute");
    }
    compare_values(a, *b, sets[bad.value_or(0)], tolerance, true,
                   [&](const ValuePair& p) { comparison.operators.push_back(p); });
  }
  if (bad && finds_origin) comparison.origin = locate(a, *b, sets[*bad], *bad, tolerance);
  fmt::print("{}", json ? json_of(comparison) : text_of(comparison));
  if (comparison.agrees()) return;
  if (comparison.differing() == 0) {
    throw Failure(ExitCode::kDifferent, "the models have different outputs");
  }
  throw Failure(ExitCode::kDifferent,
                fmt::format("{} of {} outputs differ beyond the tolerance (rtol {:g}, atol {:g})",
                            comparison.differing(), comparison.outputs.size(), tolerance.relative, tolerance.absolute));
}

}  // namespace

void add_compare(CLI::App& app) {
  add_command<CompareCommand>(
      app, "compare", "Compares outputs of two models, options or engines",
      "A is MODEL; B is OTHER, or MODEL under other options (--b), stored results (--expected), or another engine\n"
      "(--engine). With none of these B is MODEL without rewriting. Options of runs are for both sides; --a and --b "
      "set\n"
      "for one: an option of the model (isa=avx2, emulate-tiles=on), passes (on, off) or threads. Where outputs "
      "differ,\n"
      "the first operator and the rewrite responsible are looked for.\n"
      "Exit code 7 if outputs differ beyond |a - b| <= atol + rtol * |b|; integers must be equal.\n"
      "\nExamples:\n"
      "  coracle compare model_dir --shape x=1,3,640,640 --b isa=avx2\n"
      "  coracle compare model_dir converted_dir --data inputs --rtol 1e-2\n"
      "  coracle compare model_dir --data inputs --expected results       as 'coracle run --output-dir results' "
      "wrote\n"
      "  coracle compare model_dir --shape x=1,3,640,640 --engine paddle\n"
      "  coracle compare model_dir model.onnx --shape x=1,3,640,640 --engine onnxruntime --python venv/bin/python");
}

}  // namespace coracle::cli
