// SPDX-License-Identifier: Apache-2.0
#include "plan/view_kernel.h"

#include <vector>

namespace coracle {
namespace {

Misfit fits(const void*, const ArgFacts& args) noexcept {
  return args.all_out().size() == 1 ? nullptr : "a second result is wanted";
}

/// Never called: the planner leaves views out of the steps.
void run_nothing(KernelCall&) noexcept {}

}  // namespace

std::span<const Kernel> view_kernels() {
  static const std::vector<Kernel> kRows = [] {
    std::vector<Kernel> rows;
    for (const OpRow* op : all_ops()) {
      if (!op->reshapes) continue;
      rows.push_back({.name = "view", .op = op, .types = kAnyTypeRule, .view = true, .fits = fits, .run = run_nothing});
    }
    return rows;
  }();
  return kRows;
}

}  // namespace coracle
