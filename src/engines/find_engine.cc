// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/error.h"
#include "base/printable.h"
#include "engines/plugin.h"
#include "plan/engine.h"

namespace coracle::internal {

std::shared_ptr<const CompiledBlock> Engine::load(const BlockToCompile& /*block*/, const Tensor& /*saved*/) const {
  fail(ErrorCode::kUnsupported, "the engine ", name(), " does not save blocks");
}

std::vector<std::string> engine_names() {
  std::vector<std::string> names;
  for (const Engine* e : all_engines()) names.emplace_back(e->name());
  for (std::string& plugin : plugin_names()) {
    if (std::find(names.begin(), names.end(), plugin) == names.end()) names.push_back(std::move(plugin));
  }
  return names;
}

FoundEngine find_engine(std::string_view name) {
  const std::span<const Engine* const> engines = all_engines();
  const auto found = std::find_if(engines.begin(), engines.end(), [&](const Engine* e) { return e->name() == name; });
  if (found != engines.end()) return {*found, {}};
  FoundEngine plugin = find_plugin(name);
  if (plugin.engine != nullptr) return plugin;
  std::string there;
  for (const Engine* e : engines) there.append(there.empty() ? "" : ", ").append(e->name());
  return {nullptr, text("there is no engine ", in_quotes(name), "; this build has ", there.empty() ? "none" : there,
                        ", and of plug-ins: ", plugin.missing)};
}

}  // namespace coracle::internal
