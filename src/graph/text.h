// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "graph/graph.h"

namespace coracle::internal {

/// A graph as text, one node a line, attributes that have their default left out:
///
///   graph (%x0 "image": float32[?, 3, ?, ?]) {
///     @c0 "conv1.w": float32[8, 3, 3, 3] = random(864)
///     @c1: int32[1] = {1}
///     %0 "conv1.tmp_0": float32[?, 8, ?, ?] = conv2d(%x0, @c0) {strides = [2, 2]}
///     [%1: float32[?, 4, ?, ?], %2: float32[?, 4, ?, ?]] = split_with_num(%0, @c1) {num = 2}
///     return %1 "out"
///   }
///
/// "lod 1" or "lod none" behind a node: its result 0 has the sequence offsets of operand 1, or none, whatever its
/// operator says; scope "/encoder/" behind that: its name scope (Node::scope), where it has one. Operands and results
/// stand port by port: `_` for an absent optional, `[%a, %b]` for a list. Regions follow their node. Constants of up to
/// eight elements (integers: 64) are written out ("= {1, 2}"), larger ones as "= random(seed)", the seed being their
/// size in bytes: printing keeps types, not weights. Values are numbered in the order in which they stand, so equal
/// programs have equal texts. Names of nodes and sequence offsets are not part of it; with kAsComments the names stand
/// behind the nodes, `# "conv2d_3"`.
enum class NodeNames { kLeftOut, kAsComments };
std::string print(const Graph& graph, NodeNames names = NodeNames::kLeftOut);

/// The graph that a text describes; print(parse(print(g))) is print(g). More than `print` writes is understood: `#`
/// begins a comment, values may be called %anything and @anything, results need no type (one that is given must agree
/// with what is inferred), attributes may stand in any order, and random(seed, low, high) gives elements in [low, high)
/// (otherwise [-1, 1), integers [0, 4)).
/// A short text can ask for much memory: its constants take at most `max_constant_bytes` together.
/// Throws Error (kInvalidModel) with line and column, what was expected and what was found.
Graph parse(std::string_view text, int64_t max_constant_bytes = int64_t{1} << 30U);

}  // namespace coracle::internal
