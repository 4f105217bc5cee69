// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/file_cache.h"
#include "graph/saved_blocks.h"
#include "plan/engine.h"

namespace coracle::internal {

struct DeviceEngine;

/// An engine that a model uses.
struct UsedEngine {
  const Engine* engine = nullptr;  ///< null if it is missing, or a device's
  std::string name;                ///< with its device, as people write it: "openvino:GPU"
  EngineOptions options;
  bool automatic = true;     ///< takes what it can; else what is marked for it alone
  std::string missing = {};  ///< why it cannot be used; empty if it can
  bool is_optional = false;
  const DeviceEngine* by_device = nullptr;  ///< null: it takes blocks
};

/// Nodes that a user gives to an engine, or keeps from all of them.
struct EngineMark {
  static constexpr size_t kNative = SIZE_MAX;
  enum class Kind : uint8_t {
    kName,     ///< `pattern` is their name, with '*' and '?'
    kType,     ///< ... their operator
    kScope,    ///< ... a part of their name scope: "encoder/layer_0"
    kMakes,    ///< they make the variable `pattern`
    kBetween,  ///< they lie on a way from the variable `pattern` to the variable `to`
  };
  size_t engine = 0;  ///< index among EngineChoice::engines, or kNative: no engine runs them
  Kind kind = Kind::kName;
  std::string pattern;
  std::string to = {};
};

/// Which parts of a model run on engines.
struct EngineChoice {
  std::vector<UsedEngine> engines = {};    ///< in order of preference
  std::vector<EngineMark> marks = {};      ///< a node that several name has the first
  int64_t min_ops = 2;                     ///< blocks of fewer nodes, unless marked, run natively
  std::vector<ShapeRange> shapes = {};     ///< by input: for what sizes blocks are compiled; none: for those that come
  std::vector<ShapeRange> variables = {};  ///< sizes that variables had: count for inputs that `shapes` does not name
  std::vector<SavedBlock> saved = {};      ///< the blocks of a saved model; then no others are looked for
  std::optional<FileCache> cache =
      {};  ///< where engines keep compiled blocks; nothing: the user's (CORACLE_ENGINE_CACHE)
};

/// Stands in marks for Coracle's own kernels; no engine has this name.
inline constexpr std::string_view kNativeName = "native";

/// "openvino" of "openvino:GPU".
constexpr std::string_view kind_of(std::string_view engine) { return engine.substr(0, engine.find(':')); }

/// The engine that people mean: "openvino", or "openvino:GPU" for one of its devices. One that is missing, or has no
/// library, stands in the result with the reason and is told to the logger: as a warning, but with a '?' behind its
/// name, as in "openvino?", which is no part of the result's name. What a device's lacks is found when the model's
/// device is known (device_engine.h).
UsedEngine used_engine(std::string_view name, Precision precision);

/// What people write of marks: "xnnpack:conv2d_3" and "xnnpack:conv2d_*" (names of nodes), "xnnpack=conv2d" (type),
/// "xnnpack@head/conv" (name scope), "xnnpack%y" (what makes the variable y), "xnnpack:x..y" (between two variables);
/// "native" in place of an engine keeps nodes from all of them. Engines that are not among choice.engines are added.
/// Throws Error for anything else.
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

}  // namespace coracle::internal
