// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>

#include "cli/commands.h"
#include "cli/failure.h"
#include "cli/graph/drawing.h"
#include "cli/graph/engines.h"
#include "cli/text.h"

namespace coracle::cli {
namespace {

/// Looks for the graph behind a rewrite while a model is loaded.
struct Stage {
  std::string name;
  std::string text;      ///< of the last one called so
  int64_t rewrites = 0;  ///< up to there
  int64_t all = 0;       ///< so far
  std::string stages;    ///< all names there were
};

void keep(void* user, const char* pass, int64_t count, const char* text, const char* /*dot*/) {
  auto* const stage = static_cast<Stage*>(user);
  stage->stages.append(stage->stages.empty() ? "" : ", ").append(pass);
  stage->all += count;
  if (stage->name != pass) return;
  stage->text = text;
  stage->rewrites = stage->all;
}

const char* or_null(const std::string& s) { return s.empty() ? nullptr : s.c_str(); }

/// The stage of that name, which there must be.
Stage stage_of(const ModelArguments& m, const std::string& name) {
  Stage stage;
  stage.name = name;
  coracle_model_options c;
  coracle_model_options_init(&c, sizeof(c));
  c.cpu_isa = or_null(m.options.cpu_isa);
  c.disable_passes = or_null(m.options.disable_passes);
  c.max_rewrites = m.options.max_rewrites;
  c.disable_kernels = or_null(m.options.disable_kernels);
  c.precision = or_null(m.options.precision);
  c.weights = or_null(m.options.weights);
  c.device = or_null(m.options.device);
  c.emulate_tiles = m.options.emulate_tiles ? 1 : 0;
  c.allow_outside_links = m.options.allow_outside_links ? 1 : 0;
  c.cancelled = reinterpret_cast<const std::uint32_t*>(m.options.cancelled);
  c.after_pass = keep;
  c.after_pass_user = &stage;
  coracle_model* model = nullptr;
  const coracle_status status = coracle_model_load(m.model.c_str(), or_null(m.params), &c, &model);
  if (status != CORACLE_OK) throw Failure(exit_code(status), coracle_last_error());
  coracle_model_free(model);
  if (stage.text.empty()) {
    throw Failure(ExitCode::kUsage, "--stage " + name + ": there is none; there are final, " + stage.stages);
  }
  return stage;
}

/// The text, what is told of engines if they run parts of that graph, and what the model declares, where the text is
/// not that of a run: graphs leave sizes open that models declare, because others run, too.
struct Drawn {
  std::string text;
  std::string engines;
  std::vector<api::TensorInfo> inputs;
  std::vector<api::TensorInfo> outputs;
};

/// Puts the declared type where the graph has one of the same rank that says less.
void declare(GraphValue& value, const api::TensorInfo& info) {
  const std::string declared = client::type_text(info);
  if (info.rank_known &&
      std::count(value.type.begin(), value.type.end(), ',') == std::count(declared.begin(), declared.end(), ','))
    value.type = declared;
}

/// The values that are the model's inputs and outputs, with the dimensions that `inspect` tells.
void declare(GraphText& graph, const Drawn& drawn) {
  for (GraphValue& input : graph.inputs) {
    for (const api::TensorInfo& info : drawn.inputs) {
      if (info.name == input.name) declare(input, info);
    }
  }
  for (size_t i = 0; i < std::min(graph.outputs.size(), drawn.outputs.size()); ++i) {
    for (GraphNode& node : graph.nodes) {
      for (GraphValue& value : node.outputs) {
        if (value.id == graph.outputs[i].id) declare(value, drawn.outputs[i]);
      }
    }
  }
}

Drawn text_at(const ModelArguments& arguments, const InputOptions& inputs, const std::string& stage_name) {
  const bool typed = !inputs.shapes.empty() || !inputs.files.empty();
  ModelArguments m = arguments;
  std::string text;
  if (stage_name != "final") {
    const Stage stage = stage_of(m, stage_name);
    text = stage.text;
    m.options.max_rewrites = stage.rewrites;
    m.options.engines.clear();  // their blocks are cut behind the last rewrite
    m.options.marks.clear();
  }
  const api::Model model(m.model, m.params, m.options);
  const bool engines = !m.options.engines.empty() || !m.options.marks.empty();
  const std::string told = engines ? model.engines() : "";
  if (text.empty()) text = model.graph_text();
  if (!typed) return {text, told, model.inputs(), model.outputs()};
  api::Session session(model, {.threads = 1});
  set_inputs(model, inputs, session);
  return {session.graph_text(), told, {}, {}};
}

}  // namespace

void graph(const ModelArguments& arguments, const InputOptions& inputs, const std::string& stage,
           const std::string& output) {
  const std::string name = lower_case(output);
  const bool svg = name.ends_with(".svg");
  const bool html = name.ends_with(".html") || name.ends_with(".htm");
  if (!output.empty() && !svg && !html && !name.ends_with(".dot") && !name.ends_with(".gv") &&
      !name.ends_with(".txt")) {
    throw Failure(ExitCode::kUsage, "--output " + output + ": expected the name of a .svg, .html, .dot or .txt file");
  }
  const Drawn drawn = text_at(arguments, inputs, stage);
  if (name.ends_with(".txt")) {
    api::write_file(output, drawn.text);
    return;
  }
  GraphText parsed = parse_graph(drawn.text);
  declare(parsed, drawn);
  if (!drawn.engines.empty()) add_causes(parsed, drawn.engines);
  if (output.empty()) {
    fmt::print("{}", graph_dot(parsed));
    return;
  }
  const std::string title = printable(arguments.model) + (stage == "final" ? "" : " (" + stage + ")");
  api::write_file(output, svg ? graph_svg(parsed) : (html ? graph_html(parsed, title) : graph_dot(parsed)));
}

}  // namespace coracle::cli
