// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/file_cache.h"
#include "plan/engine.h"

namespace coracle {

/// An engine that a model uses.
struct UsedEngine {
  const Engine* engine = nullptr;  ///< null if it is missing
  std::string name;                ///< with its device, as people write it: "openvino:GPU"
  EngineOptions options;
  bool automatic = true;     ///< takes what it can; else what is marked for it alone
  std::string missing = {};  ///< why it cannot be used; empty if it can
};

/// Nodes that a user gives to an engine.
struct EngineMark {
  enum class Kind : uint8_t {
    kName,     ///< `pattern` is their name, with '*' and '?'
    kType,     ///< ... their operator
    kScope,    ///< ... a part of their name scope: "encoder/layer_0"
    kBetween,  ///< they lie on a way from the variable `pattern` to the variable `to`
  };
  size_t engine = 0;  ///< index among EngineChoice::engines
  Kind kind = Kind::kName;
  std::string pattern;
  std::string to = {};
};

/// Sizes that an input of a model has: at least, mostly and at most. All of one rank, without -1.
struct ShapeRange {
  std::string input;
  std::vector<int64_t> min, opt, max;
};

/// Which parts of a model run on engines.
struct EngineChoice {
  std::vector<UsedEngine> engines = {};  ///< in order of preference
  std::vector<EngineMark> marks = {};    ///< a node that several name has the first
  int64_t min_ops = 2;                   ///< blocks of fewer nodes, unless marked, run natively
  std::vector<ShapeRange> shapes = {};   ///< by input: for what sizes blocks are compiled; none: for those that come
  std::optional<FileCache> cache =
      {};  ///< where engines keep compiled blocks; nothing: the user's (CORACLE_ENGINE_CACHE)
};

/// "openvino" of "openvino:GPU".
constexpr std::string_view kind_of(std::string_view engine) { return engine.substr(0, engine.find(':')); }

/// The engine that people mean: "openvino", or "openvino:GPU" for one of its devices. One that is missing, or has no
/// library, is told to the logger and stands in the result with the reason.
UsedEngine used_engine(std::string_view name, Precision precision);

/// What people write of marks: "xnnpack:conv2d_3" and "xnnpack:conv2d_*" (names of nodes), "xnnpack=conv2d" (type),
/// "xnnpack@head/conv" (name scope), "xnnpack:x..y" (between two variables). Engines that are not among
/// choice.engines are added. Throws Error for anything else.
void add_mark(std::string_view text, Precision precision, EngineChoice& choice);

/// What people write of sizes: "x=1x3x48x32..1x3x48x320..8x3x48x3200" (least..usual..most). Throws Error for anything
/// else.
ShapeRange parse_shape_range(std::string_view text);

/// Throws Error where ranges are none: an input that the graph does not have or that is named twice, other ranks, sizes
/// that are not in order.
void check_shape_ranges(const Graph& graph, std::span<const ShapeRange> ranges);

/// Adds the engines that name scopes of a graph mark nodes for (scope_mark.h), its regions included, where
/// choice.engines has none of that kind: for these nodes alone.
void add_marked_engines(const Graph& graph, Precision precision, EngineChoice& choice);

}  // namespace coracle
