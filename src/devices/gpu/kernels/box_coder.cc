// SPDX-License-Identifier: Apache-2.0
#include "ops/detection/box_coder.h"

#include "devices/gpu/launch_plan.h"

/// Boxes as distances from priors, and back.
namespace coracle::internal::gpu::kernels::box_coder {
namespace {

RejectionReason fits(const void*, const ArgFacts& args) { return too_large(args); }

Prepared prepare(const void* attributes, const ArgFacts& args, PrepareContext& context) {
  const auto& op = *static_cast<const BoxCoder*>(attributes);
  const int64_t count = args.out().shape.count() / 2;
  if (count == 0) return prepared({});
  const bool encode = op.code_type == BoxCode::kEncode;
  Definitions d;
  d.set_stored(args.out().dtype).set("ENCODE", encode ? 1 : 0).set("PRIOR_OF_ROW", !encode && op.axis == 1 ? 1 : 0);
  d.set("HAS_VARIANCES", args.has(1) ? 1 : 0);
  PlannedLaunch l;
  l.grid = grid_of(count);
  l.parameters = {Parameter::result(),
                  Parameter::operand(0),
                  Parameter::operand(args.index(2)),
                  Parameter::of(count),
                  Parameter::of(args.out().shape[1]),
                  Parameter::of(op.box_normalized ? 0.0F : 1.0F)};
  if (args.has(1)) {
    l.parameters.push_back(Parameter::operand(args.index(1)));
  } else {
    for (size_t i = 0; i < 4; ++i) {
      l.parameters.push_back(Parameter::of(op.variance.empty() ? 1.0F : static_cast<float>(op.variance[i])));
    }
  }
  l.function = compile(*context.device, "box_coder", d);
  return prepared({std::move(l)});
}

constexpr KernelDef kKernels[] = {{.name = BoxCoder::kName,
                                   .op = &kOpSchema<BoxCoder>,
                                   .types = kFloatRule,
                                   .fits = fits,
                                   .prepare = prepare,
                                   .run = run_plan}};

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = {kKernels};

}  // namespace coracle::internal::gpu::kernels::box_coder
