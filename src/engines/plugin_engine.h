// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "coracle/engine.h"
#include "plan/engine.h"

namespace coracle::internal {

/// An engine over what a plug-in gives, in which nothing is wrong (plugin_fault).
class PluginEngine : public Engine {
 public:
  PluginEngine(const coracle_engine& engine, std::string file) : engine_(engine), file_(std::move(file)) {}
  std::string_view name() const override { return engine_.name; }
  std::string missing() const override;
  std::string version() const override;
  std::string file() const override { return file_; }
  std::string refusal(const Graph& graph, const Node& node) const override;
  std::shared_ptr<const CompiledBlock> compile(const BlockToCompile& block) const override;

 private:
  const coracle_engine& engine_;
  std::string file_;
};

}  // namespace coracle::internal
