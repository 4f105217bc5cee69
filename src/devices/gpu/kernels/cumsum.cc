// SPDX-License-Identifier: Apache-2.0
#include "ops/reduce/cumsum.h"

#include "devices/gpu/launch_plan.h"
#include "ops/common/joining.h"

/// Running sums.
namespace coracle::internal::gpu::kernels::cumsum {
namespace {

constexpr DTypes kSummed = kFloats | kIndexTypes;
/// One item goes along it.
constexpr int64_t kLongestLine = 1 << 16;

/// Nothing where the axis is not known.
std::optional<Around> line_of(const Cumsum& op, const ArgFacts& args) {
  const Shape& x = args.shape(0);
  if (op.flatten || x.rank() == 0) return Around(Shape{x.count()}, 0);
  const Tensor* axis = known_value(args, 1);
  if (args.has(1) && (axis == nullptr || axis->count() == 0)) return std::nullopt;
  return Around(x, normalize_axis(axis == nullptr ? -1 : axis->integer(0), x.rank()));
}

RejectionReason fits(const void* op, const ArgFacts& args) {
  const std::optional<Around> line = line_of(*static_cast<const Cumsum*>(op), args);
  if (!line) return "the axis is not constant";
  if (line->dim > kLongestLine) return "more than 65536 elements";
  return too_large(args);
}

Prepared prepare(const void* attributes, const ArgFacts& args, PrepareContext& context) {
  const auto& op = *static_cast<const Cumsum*>(attributes);
  const DType dtype = args.out().dtype;
  const int64_t count = args.out().shape.count();
  if (count == 0) return prepared({});
  const Around line = *line_of(op, args);
  Definitions d;
  d.set("TYPE", storage_type(dtype)).set("REAL", is_float(dtype) ? 1 : 0).set("REVERSE", op.reverse ? 1 : 0);
  d.set("EXCLUSIVE", op.exclusive && count > 1 ? 1 : 0);
  PlannedLaunch l;
  l.grid = grid_of(count / line.dim);
  l.parameters = {Parameter::result(), Parameter::operand(0), Parameter::of(count / line.dim), Parameter::of(line.dim),
                  Parameter::of(line.inner)};
  l.function = compile(*context.device, "cumsum", d);
  return prepared({std::move(l)});
}

constexpr KernelDef kKernels[] = {{.name = Cumsum::kName,
                                   .op = &kOpSchema<Cumsum>,
                                   .types = {.operands = kSummed, .results = kSummed, .alike = true},
                                   .fits = fits,
                                   .prepare = prepare,
                                   .run = run_plan}};

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = {kKernels};

}  // namespace coracle::internal::gpu::kernels::cumsum
