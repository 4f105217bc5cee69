// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace coracle::internal {

/// Index of a value in its graph; kNoValue stands for an absent optional.
enum class ValueId : int32_t {};
inline constexpr ValueId kNoValue{-1};
enum class NodeId : int32_t {};
inline constexpr NodeId kNoNode{-1};

constexpr size_t index(ValueId v) { return static_cast<size_t>(v); }
constexpr size_t index(NodeId n) { return static_cast<size_t>(n); }

}  // namespace coracle::internal
