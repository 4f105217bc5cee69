// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/convert.h"
#include "graph/op.h"

namespace coracle::internal {

/// For an operand that a file may leave out in form but the operator cannot do without.
inline void require_operand(const InferArgs& a, int port, const char* name) {
  require(a.has(port), "operand '", name, "' is missing");
}

/// How many dimensions a list operand with known shape names, as a rank.
inline int listed_rank(const InferArgs& a, int port) {
  const int64_t count = a.shape(port).count();
  require(count <= Shape::kMaxRank, "operand ", port, " names ", count, " dimensions, a tensor has at most ",
          Shape::kMaxRank);
  return static_cast<int>(count);
}

/// The value of an axis operand: `missing` where absent, nothing while not known.
inline std::optional<int64_t> axis_operand(const InferArgs& a, int port, int64_t missing = 0) {
  if (!a.has(port)) return missing;
  const std::optional<double> value = a.number(port);
  if (!value) return std::nullopt;
  return position(*value);
}

}  // namespace coracle::internal
