// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "graph/graph.h"

namespace coracle::internal {

/// Constant weights of four bits, two in each byte, that nodes bring to float32 by
///   reshape(multiply(embedding(cast(bytes), table), steps))
/// where row b of the table is what the low and the high half of byte b stand for, less 8. As a matrix [depth, columns]
/// the weights have bytes [groups, group, columns / 2] and steps [groups, 1, columns / 2, 2]; transposed, bytes
/// [columns, groups, group / 2] and steps [columns, groups, 1, 1].
struct FourBitWeights {
  ValueId bytes = kNoValue;
  ValueId steps = kNoValue;
  std::array<ValueId, 3> between = {};  ///< what the cast, the table and the product give, which nobody else takes
  int64_t depth = 0;
  int64_t columns = 0;
  int64_t group = 0;        ///< elements along the depth that share a step
  bool transposed = false;  ///< the matrix is [columns, depth]

  /// `uses`: Graph::use_counts.
  static std::optional<FourBitWeights> of_value(const Graph& graph, const std::vector<int>& uses, ValueId value);

  /// As weight_only_linear takes them, for the architecture kArchitecture.
  Tensor packed(const Graph& graph) const;
  /// [groups, columns]
  Tensor scales(const Graph& graph) const;

  static constexpr int kArchitecture = 70;  ///< whose order of the weights is nearest to the matrix's own
};

/// Whether a node reads a table by constant bytes: part of weights that are brought to float32 once.
bool reads_by_bytes(const Graph& graph, const Node& node);

}  // namespace coracle::internal
