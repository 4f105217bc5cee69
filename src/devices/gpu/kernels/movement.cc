// SPDX-License-Identifier: Apache-2.0
#include "devices/element_walks.h"
#include "devices/gpu/map.h"
#include "ops/movement/assign.h"
#include "ops/movement/share_data.h"

/// Operators that only move elements along a walk over their operand (devices/element_walks.h).
namespace coracle::internal::gpu::kernels::movement {
namespace {

using element_walks::Walk;

Walk walk_of(const Assign&, const ArgFacts& args) { return row_major(args.shape(0)); }
Walk walk_of(const ShareData&, const ArgFacts& args) { return row_major(args.shape(0)); }

template <class Op>
Walk walk_of_operator(const void* op, const ArgFacts& args) {
  using element_walks::walk_of;
  using movement::walk_of;
  return walk_of(*static_cast<const Op*>(op), args);
}

template <class Op>
RejectionReason fits(const void* op, const ArgFacts& args) {
  if (const RejectionReason rejection = too_large(args)) return rejection;
  if (args.in(0).is_array) return "a tensor array";
  return walk_of_operator<Op>(op, args) ? nullptr : "the elements to move are not known while planning";
}

Prepared prepare_walk(const ElementWalk& walk, const ArgFacts& args, PrepareContext& context) {
  LaunchPlan plan;
  add(plan, *context.device, map_along(walk, Parameter::operand(0), Parameter::result(), args.in(0).dtype));
  return prepared(std::move(plan));
}

template <class Op>
Prepared prepare(const void* op, const ArgFacts& args, PrepareContext& context) {
  return prepare_walk(*walk_of_operator<Op>(op, args), args, context);
}

template <class... Ops>
constexpr std::array<KernelDef, sizeof...(Ops)> kernels_of() {
  return {KernelDef{.name = Ops::kName,
                    .op = &kOpSchema<Ops>,
                    .types = kMovedRule,
                    .fits = fits<Ops>,
                    .prepare = prepare<Ops>,
                    .run = run_plan}...};
}

constexpr auto kKernels = kernels_of<Assign, ShareData, Transpose, Slice, StridedSlice, Expand, ExpandAs, Flip, Tile,
                                     LegacyExpand, PixelShuffle, ChannelShuffle, ShuffleChannel>();

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = {kKernels};

}  // namespace coracle::internal::gpu::kernels::movement
