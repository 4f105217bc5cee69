// SPDX-License-Identifier: Apache-2.0
#include "ops/creation/one_hot.h"

#include "devices/gpu/launch_plan.h"

/// Rows with a one at an index.
namespace coracle::internal::gpu::kernels::one_hot {
namespace {

RejectionReason fits(const void*, const ArgFacts& args) {
  if (args.out().shape.count() == 0) return "no elements";
  return too_large(args);
}

Prepared prepare(const void* attributes, const ArgFacts& args, PrepareContext& context) {
  const auto& op = *static_cast<const OneHot*>(attributes);
  const Shape& y = args.out().shape;
  Definitions d;
  d.set("TYPE", storage_type(args.out().dtype)).set("INDEX", storage_type(args.in(0).dtype));
  d.set("SKIPS", op.allow_out_of_range ? 1 : 0);
  PlannedLaunch l;
  l.grid = grid_of(y.count());
  l.parameters = {Parameter::result(), Parameter::operand(0), Parameter::of(y.count()), Parameter::of(y.back())};
  if (!op.allow_out_of_range) l.parameters.push_back(Parameter::faults(OneHot::kInputs[0].label()));
  l.function = compile(*context.device, "one_hot", d);
  return prepared({std::move(l)});
}

constexpr KernelDef kKernels[] = {{.name = OneHot::kName,
                                   .op = &kOpSchema<OneHot>,
                                   .types = {.operands = kIndexTypes, .results = kFloats | kIndexTypes},
                                   .fits = fits,
                                   .prepare = prepare,
                                   .run = run_plan}};

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = {kKernels};

}  // namespace coracle::internal::gpu::kernels::one_hot
