// SPDX-License-Identifier: Apache-2.0
#include "ops/movement/roll.h"

#include <algorithm>

#include "devices/gpu/map.h"

/// Elements shifted round: a copy for each box of elements that stay together.
namespace coracle::internal::gpu::kernels::roll {
namespace {

/// With more axes that are shifted there are too many boxes.
constexpr int kMostShifted = 3;

ElementWalk walk_of(const Roll& op, const ArgFacts& args) {
  return op.axis.empty() ? row_major(Shape{args.shape(0).count()}) : row_major(args.shape(0));
}

/// The shift along each axis of the walk, from 0 to its size.
std::vector<int64_t> shifts_of(const Roll& op, const Ints& shifts, const ElementWalk& walk) {
  std::vector<int64_t> along(static_cast<size_t>(walk.rank));
  for (size_t i = 0; i < shifts.size(); ++i) {
    const int axis = op.axis.empty() ? 0 : normalize_axis(op.axis[i], walk.rank);
    const int64_t n = walk.size[axis];
    int64_t& shift = along[static_cast<size_t>(axis)];
    if (n > 0) shift = ((shift + shifts[i] % n) % n + n) % n;
  }
  return along;
}

RejectionReason fits(const void* attributes, const ArgFacts& args) {
  const auto& op = *static_cast<const Roll*>(attributes);
  const Tensor* shifts = known_value(args, 1);
  if (shifts == nullptr) return "the shifts are not constant";
  const std::vector<int64_t> along = shifts_of(op, shifts->integers(), walk_of(op, args));
  if (along.size() - static_cast<size_t>(std::count(along.begin(), along.end(), 0)) > kMostShifted) {
    return "too many axes are shifted";
  }
  return too_large(args);
}

Prepared prepare(const void* attributes, const ArgFacts& args, PrepareContext& context) {
  const auto& op = *static_cast<const Roll*>(attributes);
  const ElementWalk walk = walk_of(op, args);
  const std::vector<int64_t> along = shifts_of(op, known_value(args, 1)->integers(), walk);
  // Along an axis the last `shift` elements go to the front, the others behind them.
  std::vector<Map> boxes = {map_along(walk, Parameter::operand(0), Parameter::result(), args.in(0).dtype)};
  for (size_t d = 0; d < along.size(); ++d) {
    if (along[d] == 0) continue;
    std::vector<Map> cut;
    for (const Map& box : boxes) {
      Map& front = cut.emplace_back(box);
      front.size[d] = along[d];
      front.operands[0].start += (walk.size[d] - along[d]) * front.operands[0].step[d];
      Map& rest = cut.emplace_back(box);
      rest.size[d] = walk.size[d] - along[d];
      rest.result.start += along[d] * rest.result.step[d];
    }
    boxes = std::move(cut);
  }
  LaunchPlan plan;
  for (const Map& box : boxes) add(plan, *context.device, box);
  return prepared(std::move(plan));
}

constexpr KernelDef kKernels[] = {{.name = Roll::kName,
                                   .op = &kOpSchema<Roll>,
                                   .types = {.operands = kMoved, .results = kMoved, .in = {PortTypes{1, kIndexTypes}, PortTypes{}}},
                                   .fits = fits,
                                   .prepare = prepare,
                                   .run = run_plan}};

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = {kKernels};

}  // namespace coracle::internal::gpu::kernels::roll
