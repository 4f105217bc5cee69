// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "devices/gpu/map.h"
#include "ops/creation/full_batch_size_like.h"
#include "ops/creation/full_like.h"
#include "ops/creation/full_with_tensor.h"

/// Tensors of one number: one that is on the device, or that is known while planning.
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

constexpr DTypes kKnown = kFloats | kIndexTypes | DType::kBool;

std::optional<double> number_of(const FullBatchSizeLike& op, const ArgFacts&) { return op.value; }
std::optional<double> number_of(const FullLike&, const ArgFacts& args) { return args.number(1, 0.0); }

/// Kernels get the number as a float.
template <class Op>
RejectionReason fits_known(const void* op, const ArgFacts& args) {
  constexpr double kBound = 1 << 24;
  const std::optional<double> number = number_of(*static_cast<const Op*>(op), args);
  if (!number) return "the number is not constant";
  if (!is_float(args.out().dtype) && !(std::fabs(*number) <= kBound)) return "a whole number beyond 2^24";
  return too_large(args);
}

template <class Op>
Prepared prepare_known(const void* op, const ArgFacts& args, PrepareContext& context) {
  const DType dtype = args.out().dtype;
  const double number = *number_of(*static_cast<const Op*>(op), args);
  Map map = map_to(args.out(), storage_type(dtype));
  map.numbers.push_back(dtype == DType::kBool ? number != 0 : static_cast<float>(number));
  map.expression = "n0";
  LaunchPlan plan;
  add(plan, *context.device, map);
  return prepared(std::move(plan));
}

template <class Op>
constexpr KernelDef of_known() {
  return {.name = Op::kName,
          .op = &kOpSchema<Op>,
          .types = {.operands = DTypes::all(), .results = kKnown},
          .fits = fits_known<Op>,
          .prepare = prepare_known<Op>,
          .run = run_plan};
}

constexpr KernelDef kKernels[] = {
    of_known<FullBatchSizeLike>(),
    of_known<FullLike>(),
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
