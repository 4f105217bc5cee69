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

/// The stage of that name, which there must be.
Stage stage_of(const ModelArguments& m, const std::string& name) {
  Stage stage;
  stage.name = name;
  coracle::ModelOptions options = m.options;
  options.engines.clear();  // their blocks are cut behind the last rewrite
  options.marks.clear();
  coracle_model_options c = coracle::c_options(options);
  c.after_pass = keep;
  c.after_pass_user = &stage;
  coracle_model* model = nullptr;
  const coracle_status status =
      coracle_model_load(m.model.c_str(), m.params.empty() ? nullptr : m.params.c_str(), &c, &model);
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
  std::vector<coracle::TensorInfo> inputs;
  std::vector<coracle::TensorInfo> outputs;
};

/// Puts the declared type where the graph has one of the same rank that says less.
void declare(GraphValue& value, const coracle::TensorInfo& info) {
  const std::string declared = client::type_text(info);
  if (info.rank_known &&
      std::count(value.type.begin(), value.type.end(), ',') == std::count(declared.begin(), declared.end(), ','))
    value.type = declared;
}

/// The values that are the model's inputs and outputs, with the dimensions that `inspect` tells.
void declare(GraphText& graph, const Drawn& drawn) {
  for (GraphValue& input : graph.inputs) {
    for (const coracle::TensorInfo& info : drawn.inputs) {
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
  const coracle::Model model(m.model, m.params, m.options);
  const bool engines = !m.options.engines.empty() || !m.options.marks.empty();
  const std::string told = engines ? model.engines() : "";
  if (text.empty()) text = model.graph_text();
  if (!typed) return {text, told, model.inputs(), model.outputs()};
  coracle::Session session(model, {.threads = 1});
  set_inputs(model, inputs, session);
  return {session.graph_text(), told, {}, {}};
}

struct GraphCommand {
  ModelArguments arguments;
  InputOptions inputs;
  std::string stage = "final";
  std::string output;

  void add_options(CLI::App* command) {
    add_model_options(command, arguments);
    add_inputs(command, inputs);
    command->add_option("--stage", stage, "loaded (as in the file), final, or a rewrite's name: behind that");
    command->add_option("-o,--output", output,
                        "FILE.html (a page to search and fold), .svg, .dot or .txt; without: dot, printed");
  }
  void run() const;
};

void GraphCommand::run() const {
  const std::string name = lower_case(output);
  const bool svg = name.ends_with(".svg");
  const bool html = name.ends_with(".html") || name.ends_with(".htm");
  if (!output.empty() && !svg && !html && !name.ends_with(".dot") && !name.ends_with(".gv") &&
      !name.ends_with(".txt")) {
    throw Failure(ExitCode::kUsage, "--output " + output + ": expected the name of a .svg, .html, .dot or .txt file");
  }
  const Drawn drawn = text_at(arguments, inputs, stage);
  if (name.ends_with(".txt")) {
    coracle::write_file(output, drawn.text);
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
  coracle::write_file(output, svg ? graph_svg(parsed) : (html ? graph_html(parsed, title) : graph_dot(parsed)));
}

}  // namespace

void add_graph(CLI::App& app) {
  add_command<GraphCommand>(
      app, "graph", "Draws a model's graph",
      "Examples:\n"
      "  coracle graph model_dir -o model.html                 to open in a browser; needs no network\n"
      "  coracle graph model_dir --stage loaded -o before.svg  before the first rewrite\n"
      "  coracle graph model_dir --shape x=1,3,640,640 -o model.html     with the shapes of such a run\n"
      "  coracle graph model_dir | dot -Tpdf -o model.pdf      by Graphviz");
}

}  // namespace coracle::cli
