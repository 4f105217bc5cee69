// SPDX-License-Identifier: Apache-2.0
#include "ops/interp/grid_sample.h"

#include "devices/gpu/launch_plan.h"

/// Images and volumes read at given positions.
namespace coracle::internal::gpu::kernels::grid_sample {
namespace {

RejectionReason fits(const void*, const ArgFacts& args) { return too_large(args); }

Prepared prepare(const void* attributes, const ArgFacts& args, PrepareContext& context) {
  const auto& op = *static_cast<const GridSample*>(attributes);
  const Shape& x = args.shape(0);
  const Shape& y = args.out().shape;
  const int axes = x.rank() - 2;
  if (y.count() == 0) return prepared({});
  Definitions d;
  d.set_stored(args.out().dtype).set("AXES", axes).set("NEAREST", op.mode == GridSampleMode::kNearest ? 1 : 0);
  d.set("PADDING", static_cast<int64_t>(op.padding_mode)).set("ALIGN_CORNERS", op.align_corners ? 1 : 0);
  PlannedLaunch l;
  l.grid = grid_of(y.count());
  l.parameters = {Parameter::result(),
                  Parameter::operand(0),
                  Parameter::operand(1),
                  Parameter::of(y.count()),
                  Parameter::of(x[1]),
                  Parameter::of(y.count(2, y.rank())),
                  Parameter::of(axes == 3 ? x[2] : 1),
                  Parameter::of(x[axes]),
                  Parameter::of(x[axes + 1])};
  l.function = compile(*context.device, "grid_sample", d);
  return prepared({std::move(l)});
}

constexpr KernelDef kKernels[] = {{.name = GridSample::kName,
                                   .op = &kOpSchema<GridSample>,
                                   .types = kFloatRule,
                                   .fits = fits,
                                   .prepare = prepare,
                                   .run = run_plan}};

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = {kKernels};

}  // namespace coracle::internal::gpu::kernels::grid_sample
