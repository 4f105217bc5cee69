// SPDX-License-Identifier: Apache-2.0
#include "blocks/choice.h"

#include "base/log.h"
#include "base/printable.h"
#include "blocks/device_engine.h"
#include "blocks/scope_mark.h"

namespace coracle::internal {

UsedEngine used_engine(std::string_view name, Precision precision) {
  const bool optional = name.ends_with('?');
  if (optional) name.remove_suffix(1);
  const size_t colon = std::min(name.find(':'), name.size());
  UsedEngine used{.name = std::string(name), .options = {.precision = precision}};
  used.options.device = name.substr(std::min(colon + 1, name.size()));
  used.is_optional = optional;
  used.by_device = find_device_engine(name.substr(0, colon));
  if (used.by_device != nullptr) return used;
  const FoundEngine found = find_engine(name.substr(0, colon));
  used.missing = found.engine == nullptr ? found.missing : found.engine->missing();
  if (used.missing.empty()) {
    used.engine = found.engine;
  } else if (optional) {
    log(LogLevel::kInfo, "the engine ", in_quotes(name), " is not used: ", used.missing);
  } else {
    log(LogLevel::kWarning, "the engine ", in_quotes(name),
        " cannot be used, its operators run natively: ", used.missing);
  }
  return used;
}

namespace {

/// The number of an engine among those chosen, to which it is added if it is missing there.
size_t engine_for_marks(std::string_view name, Precision precision, EngineChoice& choice) {
  for (size_t e = 0; e < choice.engines.size(); ++e) {
    if (kind_of(choice.engines[e].name) == name) return e;
  }
  choice.engines.push_back(used_engine(name, precision));
  choice.engines.back().automatic = false;
  return choice.engines.size() - 1;
}

}  // namespace

void add_mark(std::string_view text, Precision precision, EngineChoice& choice) {
  const size_t end = text.find_first_of(":=@%");
  require(end != std::string_view::npos && end > 0 && end + 1 < text.size(), ErrorCode::kInvalidArgument, "the mark ",
          in_quotes(text),
          " has none of the forms ENGINE:NODE, ENGINE=OPERATOR, ENGINE@SCOPE, ENGINE%VARIABLE and "
          "ENGINE:VARIABLE..VARIABLE; an example is 'openvino:conv2d_*'");
  const std::string_view name = text.substr(0, end);
  const std::string_view what = text.substr(end + 1);
  EngineMark mark;
  const size_t dots = what.find("..");
  if (text[end] == '=') {
    mark.kind = EngineMark::Kind::kType;
  } else if (text[end] == '@') {
    mark.kind = EngineMark::Kind::kScope;
  } else if (text[end] == '%') {
    mark.kind = EngineMark::Kind::kMakes;
  } else if (dots != std::string_view::npos) {
    mark.kind = EngineMark::Kind::kBetween;
    mark.to = what.substr(dots + 2);
  }
  mark.pattern = mark.kind == EngineMark::Kind::kBetween ? what.substr(0, dots) : what;
  require(!mark.pattern.empty() && (mark.kind != EngineMark::Kind::kBetween || !mark.to.empty()),
          ErrorCode::kInvalidArgument, "the mark ", in_quotes(text), " names only one of two variables");
  mark.engine = name == kNativeName ? EngineMark::kNative : engine_for_marks(name, precision, choice);
  choice.marks.push_back(std::move(mark));
}

void add_marked_engines(const Graph& graph, Precision precision, EngineChoice& choice) {
  for (NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    const std::string_view name = node.scope.empty() ? std::string_view() : engine_of_scope(node.scope);
    if (!name.empty() && name != kNativeName) engine_for_marks(name, precision, choice);
    for (const std::shared_ptr<Graph>& region : node.regions) add_marked_engines(*region, precision, choice);
  }
}

}  // namespace coracle::internal
