// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace coracle::internal {

/// A component of a name scope that begins so marks for the engine named behind it: what python/coracle/engines.py
/// writes into a file, "/coracle_engine_openvino/Linear/".
inline constexpr std::string_view kEngineMark = "coracle_engine_";

/// A component of a name scope without the number ("_1", "_2") that Paddle puts behind one that was there before.
constexpr std::string_view without_number(std::string_view component) {
  const size_t digits = component.find_last_not_of("0123456789");
  const bool numbered = digits != std::string_view::npos && digits + 1 < component.size() && component[digits] == '_';
  return numbered ? component.substr(0, digits) : component;
}

/// The engine that a node's name scope (Node::scope) marks it for: by its innermost mark; empty if it has none.
constexpr std::string_view engine_of_scope(std::string_view scope) {
  while (!scope.empty()) {
    const size_t slash = scope.rfind('/');
    const std::string_view component = slash == std::string_view::npos ? scope : scope.substr(slash + 1);
    if (component.starts_with(kEngineMark)) {
      const std::string_view name = without_number(component.substr(kEngineMark.size()));
      if (!name.empty()) return name;
    }
    scope = slash == std::string_view::npos ? std::string_view() : scope.substr(0, slash);
  }
  return {};
}

}  // namespace coracle::internal
