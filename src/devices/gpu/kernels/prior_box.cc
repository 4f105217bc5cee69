// SPDX-License-Identifier: Apache-2.0
#include "ops/detection/prior_box.h"

#include "devices/gpu/launch_plan.h"

/// Boxes around the places of a feature map: of its operands only the shapes matter.
namespace coracle::internal::gpu::kernels::prior_box {
namespace {

/// Each takes two parameters.
constexpr size_t kMostKinds = 32;

RejectionReason fits(const void* attributes, const ArgFacts& args) {
  if (prior_sizes(*static_cast<const PriorBox*>(attributes)).size() > kMostKinds)
    return "more than 32 boxes at a place";
  return too_large(args);
}

Prepared prepare(const void* attributes, const ArgFacts& args, PrepareContext& context) {
  const auto& op = *static_cast<const PriorBox*>(attributes);
  const int64_t count = args.out().shape.count();
  if (count == 0) return prepared({});
  const ImageGrid grid(args.shape(0), args.shape(1), op.step_w, op.step_h);
  const std::vector<HalfSize> sizes = prior_sizes(op);
  const auto kinds = static_cast<int64_t>(sizes.size());
  Definitions d;
  d.set_stored(args.out().dtype).set("CLIP", op.clip ? 1 : 0).set_each("KINDS", 0, static_cast<int>(kinds));
  const auto real = [](double value) { return Parameter::of(static_cast<float>(value)); };
  PlannedLaunch l;
  l.grid = grid_of(count);
  l.parameters = {Parameter::result(0), Parameter::result(1), Parameter::of(count), Parameter::of(grid.columns),
                  Parameter::of(kinds), real(grid.step_w),    real(grid.step_h),    real(op.offset),
                  real(grid.width),     real(grid.height)};
  for (const double variance : op.variances) l.parameters.push_back(real(variance));
  for (const HalfSize& half : sizes) {
    l.parameters.push_back(real(half.width));
    l.parameters.push_back(real(half.height));
  }
  l.function = compile(*context.device, "prior_box", d);
  return prepared({std::move(l)});
}

constexpr KernelDef kKernels[] = {{.name = PriorBox::kName,
                                   .op = &kOpSchema<PriorBox>,
                                   .types = kFloatRule,
                                   .fits = fits,
                                   .prepare = prepare,
                                   .run = run_plan}};

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = {kKernels};

}  // namespace coracle::internal::gpu::kernels::prior_box
