// SPDX-License-Identifier: Apache-2.0
#include "ops/index/argsort.h"

#include "devices/gpu/launch_plan.h"

/// Sorted lines by the number of elements before each.
namespace coracle::internal::gpu::kernels::argsort {
namespace {

constexpr DTypes kSorted = kFloats | kIndexTypes;
/// The work grows with its square.
constexpr int64_t kLongestLine = 4096;

Around line_of(const Argsort& op, const Shape& x) {
  return Around(x.is_scalar() ? Shape{1} : x, sorting_axis(op.axis, x));
}

RejectionReason fits(const void* op, const ArgFacts& args) {
  if (line_of(*static_cast<const Argsort*>(op), args.shape(0)).dim > kLongestLine) return "more than 4096 elements";
  return too_large(args);
}

Prepared prepare(const void* attributes, const ArgFacts& args, PrepareContext& context) {
  const auto& op = *static_cast<const Argsort*>(attributes);
  const int64_t count = args.out().shape.count();
  if (count == 0) return prepared({});
  const Around line = line_of(op, args.shape(0));
  Definitions d;
  d.set("TYPE", storage_type(args.out().dtype)).set("DESCENDING", op.descending ? 1 : 0);
  d.set("REAL", is_float(args.out().dtype) ? 1 : 0);
  PlannedLaunch l;
  l.grid = grid_of(count);
  l.parameters = {Parameter::result(0), Parameter::result(1),    Parameter::operand(0),
                  Parameter::of(count), Parameter::of(line.dim), Parameter::of(line.inner)};
  l.function = compile(*context.device, "argsort", d);
  return prepared({std::move(l)});
}

constexpr KernelDef kKernels[] = {
    {.name = Argsort::kName,
     .op = &kOpSchema<Argsort>,
     .types = {.operands = kSorted, .results = kSorted, .out = {PortTypes{1, DType::kInt64}}},
     .fits = fits,
     .prepare = prepare,
     .run = run_plan}};

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = {kKernels};

}  // namespace coracle::internal::gpu::kernels::argsort
