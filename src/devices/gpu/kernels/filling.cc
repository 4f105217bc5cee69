// SPDX-License-Identifier: Apache-2.0
#include "devices/gpu/map.h"
#include "ops/creation/full_with_tensor.h"

/// Tensors of one number that is on the device.
namespace coracle::internal::gpu::kernels::filling {
namespace {

RejectionReason fits(const void*, const ArgFacts& args) {
  if (args.in(0).dtype != args.out().dtype) return "a number of another type";
  if (args.shape(0).count() == 0) return "no number";
  return too_large(args);
}

Prepared prepare(const void*, const ArgFacts& args, PrepareContext& context) {
  const char* type = moved_type(args.out().dtype);
  Map map = map_to(args.out(), type);
  map.operands.push_back({Parameter::operand(0), type, 0, std::vector<int64_t>(map.size.size())});
  map.expression = "v0";
  LaunchPlan plan;
  add(plan, *context.device, map);
  return prepared(std::move(plan));
}

constexpr KernelDef kKernels[] = {
    {.name = FullWithTensor::kName,
     .op = &kOpSchema<FullWithTensor>,
     .types = {.operands = kMoved, .results = kMoved, .in = {PortTypes{1, kIndexTypes}, PortTypes{}}},
     .fits = fits,
     .prepare = prepare,
     .run = run_plan}};

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = {kKernels};

}  // namespace coracle::internal::gpu::kernels::filling
