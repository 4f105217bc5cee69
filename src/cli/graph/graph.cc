// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <memory>

#include "cli/commands.h"
#include "cli/failure.h"
#include "cli/file.h"
#include "cli/graph/drawing.h"
#include "cli/text.h"

namespace coracle::cli {
namespace {

/// Looks for the graph behind a rewrite while a model is loaded.
struct Stage {
  std::string name;
  std::string text;    ///< of the last one called so
  std::string stages;  ///< all names there were
};

void keep(void* user, const char* pass, int64_t /*count*/, const char* text, const char* /*dot*/) {
  auto* const stage = static_cast<Stage*>(user);
  stage->stages.append(stage->stages.empty() ? "" : ", ").append(pass);
  if (stage->name == pass) stage->text = text;
}

const char* or_null(const std::string& s) { return s.empty() ? nullptr : s.c_str(); }

std::string text_at(const ModelArguments& m, const std::string& stage_name) {
  Stage stage{stage_name, {}, {}};
  coracle_model_options c;
  coracle_model_options_init(&c, sizeof(c));
  c.cpu_isa = or_null(m.options.cpu_isa);
  c.disable_passes = or_null(m.options.disable_passes);
  c.max_rewrites = m.options.max_rewrites;
  c.disable_kernels = or_null(m.options.disable_kernels);
  c.precision = or_null(m.options.precision);
  c.weights = or_null(m.options.weights);
  c.emulate_tiles = m.options.emulate_tiles ? 1 : 0;
  const bool last = stage_name == "final";
  if (!last) {
    c.after_pass = keep;
    c.after_pass_user = &stage;
  }
  coracle_model* model = nullptr;
  const coracle_status status = coracle_model_load(m.model.c_str(), or_null(m.params), &c, &model);
  if (status != CORACLE_OK) throw Failure(exit_code(status), coracle_last_error());
  const std::unique_ptr<coracle_model, void (*)(coracle_model*)> owner(model, coracle_model_free);
  if (!last) {
    if (stage.text.empty()) {
      throw Failure(ExitCode::kUsage, "--stage " + stage_name + ": there is none; there are final, " + stage.stages);
    }
    return stage.text;
  }
  char* text = nullptr;
  if (const coracle_status s = coracle_model_graph_text(model, &text); s != CORACLE_OK) {
    throw Failure(exit_code(s), coracle_last_error());
  }
  const std::unique_ptr<char, void (*)(char*)> freed(text, coracle_string_free);
  return text;
}

}  // namespace

void graph(const ModelArguments& arguments, const std::string& stage, const std::string& output) {
  const std::string name = lower_case(output);
  const bool svg = name.ends_with(".svg");
  const bool html = name.ends_with(".html") || name.ends_with(".htm");
  if (!output.empty() && !svg && !html && !name.ends_with(".dot") && !name.ends_with(".gv") &&
      !name.ends_with(".txt")) {
    throw Failure(ExitCode::kUsage, "--output " + output + ": expected the name of a .svg, .html, .dot or .txt file");
  }
  const std::string text = text_at(arguments, stage);
  if (name.ends_with(".txt")) {
    write_file(output, text);
    return;
  }
  const GraphText parsed = parse_graph(text);
  if (output.empty()) {
    fmt::print("{}", graph_dot(parsed));
    return;
  }
  const std::string title = printable(arguments.model) + (stage == "final" ? "" : " (" + stage + ")");
  write_file(output, svg ? graph_svg(parsed) : (html ? graph_html(parsed, title) : graph_dot(parsed)));
}

}  // namespace coracle::cli
