// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>

#include "base/thread_pool.h"
#include "graph/graph.h"

/// float16 and bfloat16 ("half") values are computed in float32: nodes on them run as if all their half operands and
/// results were float32, and the planner casts where a value is needed as it was declared.
namespace coracle::internal {

inline bool is_half(DType dtype) { return dtype == DType::kFloat16 || dtype == DType::kBfloat16; }

/// The elements of a half constant in float32, as packed weights.
struct UpcastForm {
  static constexpr std::string_view kLayout = "elements.float32.v1";

  int64_t count = 0;

  size_t bytes() const { return static_cast<size_t>(count) * sizeof(float); }
  void pack(std::span<const Tensor* const> constants, std::byte* to, ThreadPool& pool) const;
};

/// Gives the float32 elements of operand i, whose fact holds half elements.
using UpcastValue = std::function<std::shared_ptr<const Tensor>(size_t i)>;

/// Makes half operands and results of a node float32, if it has a half operand and its operator gives for float32
/// operands the same results in float32 (a cast to float16 does not). Otherwise changes nothing and gives false.
bool upcast(const RunContext& context, const Node& node, std::span<Fact> in, std::span<Fact> out,
            const UpcastValue& upcast_value);

}  // namespace coracle::internal
