// SPDX-License-Identifier: Apache-2.0
#include "ops/activation/softmax.h"

#include "devices/gpu/launch_plan.h"
#include "ops/activation/log_softmax.h"
#include "ops/common/lines.h"
#include "ops/reduce/argmax.h"
#include "ops/reduce/argmin.h"

/// Operators on lines along one axis.
namespace coracle::internal::gpu::kernels::softmax {
namespace {

RejectionReason fits(const void*, const ArgFacts& args) { return too_large(args); }

Prepared prepare_softmax(int axis, bool logarithm, const ArgFacts& args, PrepareContext& context) {
  if (args.out().shape.count() == 0) return prepared({});
  const Lines lines(args.shape(0), axis);
  const int lanes = lanes_for(lines.length);
  Definitions d;
  d.set_stored(args.out().dtype).set("LANES", lanes).set("LOGARITHM", logarithm ? 1 : 0);
  PlannedLaunch l;
  l.grid = grid_of_lines(lines.outer * lines.inner, lanes);
  l.parameters = {Parameter::result(), Parameter::operand(0), Parameter::of(lines.outer * lines.inner),
                  Parameter::of(lines.length), Parameter::of(lines.inner)};
  l.function = compile(*context.device, "softmax", d);
  return prepared({std::move(l)});
}

template <class Op, bool kLogarithm>
Prepared prepare(const void* op, const ArgFacts& args, PrepareContext& context) {
  return prepare_softmax(static_cast<const Op*>(op)->axis, kLogarithm, args, context);
}

template <class Op, bool kLogarithm>
constexpr KernelDef make_kernel() {
  return {.name = Op::kName,
          .op = &kOpSchema<Op>,
          .types = kFloatRule,
          .fits = fits,
          .prepare = prepare<Op, kLogarithm>,
          .run = run_plan};
}

RejectionReason fits_extreme(const void*, const ArgFacts& args) {
  if (args.has(1) && known_value(args, 1) == nullptr) return "the axis is not constant";
  if (args.shape(0).count() == 0) return "no elements";
  return too_large(args);
}

Prepared prepare_extreme(const ArgExtreme& op, const char* better, const ArgFacts& args, PrepareContext& context) {
  const Tensor* axis = known_value(args, 1);
  const Shape& x = args.shape(0);
  const Lines lines = op.flatten ? Lines(x.count()) : Lines(x, axis == nullptr ? -1 : axis->integer(0));
  Definitions d;
  d.set("TYPE", storage_type(args.in(0).dtype)).set("INDEX", storage_type(args.out().dtype)).set("BETTER", better);
  PlannedLaunch l;
  l.grid = grid_of(lines.outer * lines.inner);
  l.parameters = {Parameter::result(), Parameter::operand(0), Parameter::of(lines.outer * lines.inner),
                  Parameter::of(lines.length), Parameter::of(lines.inner)};
  l.function = compile(*context.device, "arg_extreme", d);
  return prepared({std::move(l)});
}

/// What is not a number is better than all others.
Prepared prepare_argmax(const void* op, const ArgFacts& args, PrepareContext& context) {
  return prepare_extreme(*static_cast<const Argmax*>(op), "v>best||(best!=best&&v==v)", args, context);
}
Prepared prepare_argmin(const void* op, const ArgFacts& args, PrepareContext& context) {
  return prepare_extreme(*static_cast<const Argmin*>(op), "v<best||(best!=best&&v==v)", args, context);
}

template <class Op>
constexpr KernelDef extreme_kernel(Prepared (*prepare_kernel)(const void*, const ArgFacts&, PrepareContext&)) {
  return {.name = Op::kName,
          .op = &kOpSchema<Op>,
          .types = {.operands = kFloats | kIntegerTypes, .results = kIndexTypes},
          .fits = fits_extreme,
          .prepare = prepare_kernel,
          .run = run_plan};
}

constexpr KernelDef kKernels[] = {make_kernel<Softmax, false>(), make_kernel<LogSoftmax, true>(),
                                  extreme_kernel<Argmax>(prepare_argmax), extreme_kernel<Argmin>(prepare_argmin)};

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = {kKernels};

}  // namespace coracle::internal::gpu::kernels::softmax
