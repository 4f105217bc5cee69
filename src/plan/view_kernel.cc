// SPDX-License-Identifier: Apache-2.0
#include "plan/view_kernel.h"

#include <vector>

namespace coracle::internal {
namespace {

RejectionReason fits(const void*, const ArgFacts& args) noexcept {
  return args.all_out().size() == 1 ? nullptr : "a second result is wanted";
}

/// Never called: the planner leaves views out of the steps.
void run_nothing(KernelCall&) noexcept {}

}  // namespace

std::span<const KernelDef> view_kernels() {
  static const std::vector<KernelDef> kViews = [] {
    std::vector<KernelDef> kernels;
    for (const OpSchema* op : all_ops()) {
      if (!op->reshapes) continue;
      kernels.push_back(
          {.name = "view", .op = op, .types = kAnyTypeRule, .view = true, .fits = fits, .run = run_nothing});
    }
    return kernels;
  }();
  return kViews;
}

}  // namespace coracle::internal
