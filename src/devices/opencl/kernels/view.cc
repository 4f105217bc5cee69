// SPDX-License-Identifier: Apache-2.0
#include "ops/shape/flatten.h"
#include "ops/shape/flatten2.h"
#include "ops/shape/reshape.h"
#include "ops/shape/squeeze.h"
#include "ops/shape/unsqueeze.h"
#include "plan/kernel.h"

/// Operators whose result is their operand's memory under another shape.
namespace coracle::opencl::kernels {
namespace {

Misfit fits(const void*, const ArgFacts& args) {
  return args.all_out().size() == 1 ? nullptr : "a second result is wanted";
}

/// Never called: the planner leaves views out of the steps.
void run(KernelCall&) noexcept {}

constexpr Kernel row(const OpRow* op) {
  return {.name = "view", .op = op, .types = kAnyTypeRule, .view = true, .fits = fits, .run = run};
}

constexpr Kernel kRows[] = {
    row(&kOpRow<Reshape>), row(&kOpRow<Flatten>),   row(&kOpRow<Flatten2>),
    row(&kOpRow<Squeeze>), row(&kOpRow<Unsqueeze>),
};

}  // namespace

extern const KernelTable view;
constinit const KernelTable view = {kRows};

}  // namespace coracle::opencl::kernels
