// SPDX-License-Identifier: Apache-2.0
#include "ops/attention/attention.h"

#include "devices/gpu/launch_plan.h"

namespace coracle::internal::gpu::kernels::attention {
namespace {

/// The scores of a query lie in local memory, of which all devices have 32 kB.
constexpr int64_t kMostKeys = 4096;

RejectionReason fits(const void*, const ArgFacts& args) {
  const int64_t keys = args.shape(2)[args.shape(2).rank() - 2];
  if (keys > kMostKeys) return "more than 4096 keys";
  if (keys == 0) return "no keys";
  return too_large(args);
}

/// The step of an operand along dimension d of the result, 0 where it is repeated.
int64_t step_along(const Shape& x, const Shape& y, int d) {
  const int from = d - (y.rank() - x.rank());
  return from < 0 || x[from] == 1 ? 0 : x.count(from + 1, x.rank());
}

Prepared prepare(const void* attributes, const ArgFacts& args, PrepareContext& context) {
  const auto& op = *static_cast<const Attention*>(attributes);
  const Shape& y = args.out().shape;
  if (y.count() == 0) return prepared({});
  const Shape& q = args.shape(0);
  const Shape& k = args.shape(1);
  const Shape& v = args.shape(2);
  const int rank = y.rank();
  const int64_t width = y.back();
  const int64_t keys = v[v.rank() - 2];
  // One work-group for each query, the innermost batch axis.
  PlannedLaunch l;
  l.grid = grid_of_lines(y.count() / width, kLanes);
  l.parameters = {Parameter::result(), Parameter::operand(0), Parameter::operand(1), Parameter::operand(2)};
  if (args.has(3)) l.parameters.push_back(Parameter::operand(3));
  const int64_t mask_step = args.has(3) && args.shape(3).back() > 1 ? 1 : 0;
  const int64_t key_step = k[k.rank() - 2] == 1 ? 0 : k.back();
  for (int64_t n : {q.back(), width, keys, key_step, width, mask_step}) l.parameters.push_back(Parameter::of(n));
  l.parameters.push_back(Parameter::of(static_cast<float>(op.scale)));
  for (int d = rank - 2; d >= 0; --d) {
    const bool row = d == rank - 2;
    l.parameters.push_back(Parameter::of(y[d]));
    l.parameters.push_back(Parameter::of(step_along(q, y, d)));
    l.parameters.push_back(Parameter::of(row ? 0 : step_along(k, y, d)));
    l.parameters.push_back(Parameter::of(row ? 0 : step_along(v, y, d)));
    l.parameters.push_back(Parameter::of(args.has(3) ? step_along(args.shape(3), y, d) : 0));
  }
  int64_t room = 256;
  while (room < keys) room *= 2;
  Definitions d;
  d.set_stored(args.out().dtype).set("LANES", kLanes).set("MOST_KEYS", room).set("HAS_MASK", args.has(3) ? 1 : 0);
  d.set_each("BATCH_AXES", 0, rank - 1);
  l.function = compile(*context.device, "attention", d);
  return prepared({std::move(l)});
}

constexpr KernelDef kKernels[] = {{.name = Attention::kName,
                                   .op = &kOpSchema<Attention>,
                                   .types = kFloatRule,
                                   .fits = fits,
                                   .prepare = prepare,
                                   .run = run_plan}};

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = {kKernels};

}  // namespace coracle::internal::gpu::kernels::attention
