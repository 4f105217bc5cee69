// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "plan/sized_step.h"

namespace coracle::internal {

/// What a call of a `sized` kernel is made of.
struct SizedCall {
  const RunContext& context;
  const Node& node;
  const SizedStep& step;
  std::span<Tensor> inputs;            ///< row-major
  std::span<const Fact* const> facts;  ///< of the inputs
  std::span<const Fact> results;       ///< as inferred of them
  std::span<Tensor* const> before;     ///< where the results of an earlier run may be, whose memory is taken again
  void* workspace = nullptr;
  ThreadPool& pool;
  bool reuse = true;  ///< memory of `before`, however much larger it is
};

/// Runs the kernel and gives its results. Throws Error.
std::vector<Tensor> run_sized(const SizedCall& call);

}  // namespace coracle::internal
