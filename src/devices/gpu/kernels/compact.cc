// SPDX-License-Identifier: Apache-2.0
#include "devices/gpu/launch_plan.h"
#include "ops/index/masked_select.h"
#include "ops/index/nonzero.h"

/// What is not zero, in order: results whose number of rows the data says.
namespace coracle::internal::gpu::kernels::compact {
namespace {

constexpr int64_t kLanesOfBlock = 64;
constexpr int64_t kOfLane = 16;
constexpr DTypes kAsked = kFloats | kIndexTypes | DType::kBool | DType::kUint8 | DType::kInt8 | DType::kInt16;

std::shared_ptr<const Function> function_of(OpenDevice& device, std::string_view name, const Definitions& d) {
  return static_cast<OpenGpu&>(device).compile({.name = "compact"}, name, d.text());
}

/// `definitions` and `more` of what is taken.
Prepared prepare_compact(const ArgFacts& args, int asked, Definitions d, const std::vector<Parameter>& more,
                         OpenDevice& device) {
  const Fact& condition = args.in(asked);
  const int64_t count = condition.shape.count();
  const int64_t blocks = (count + kLanesOfBlock * kOfLane - 1) / (kLanesOfBlock * kOfLane);
  const int rows = static_cast<int>(args.all_out().size());
  d.set("TYPE", storage_type(condition.dtype)).set("LANES", kLanesOfBlock).set("OF_LANE", kOfLane);
  const Parameter begins = Parameter::workspace(0);
  LaunchPlan plan(3);
  plan[0].grid = grid_of_lines(blocks, kLanesOfBlock);
  plan[0].parameters = {begins, Parameter::operand(asked), Parameter::of(count)};
  plan[0].function = function_of(device, "compact_count", d);
  plan[1].grid = grid_of_lines(1, kLanesOfBlock);
  plan[1].parameters = {Parameter::result(rows), begins, Parameter::of(blocks)};
  plan[1].function = function_of(device, "compact_begins", d);
  plan[2].grid = grid_of_lines(blocks, kLanesOfBlock);
  plan[2].parameters = {Parameter::result(), begins, Parameter::operand(asked), Parameter::of(count)};
  plan[2].parameters.insert(plan[2].parameters.end(), more.begin(), more.end());
  plan[2].function = function_of(device, "compact", d);
  return prepared(std::move(plan), blocks);
}

RejectionReason fits_nonzero(const void*, const ArgFacts& args) {
  return args.shape(0).is_scalar() ? "a scalar" : too_large(args);
}

Prepared prepare_nonzero(const void*, const ArgFacts& args, PrepareContext& context) {
  const ElementWalk all = row_major(args.shape(0));
  Definitions d;
  d.set_each("AXES", 0, all.rank).set("RANK", all.rank);
  std::vector<Parameter> axes;
  for (int i = 0; i < all.rank; ++i) {
    axes.push_back(Parameter::of(all.size[i]));
    axes.push_back(Parameter::of(all.step[i]));
  }
  return prepare_compact(args, 0, d, axes, *context.device);
}

std::vector<Shape> bounds_of_nonzero(const void*, const ArgFacts& args) {
  return {Shape{args.shape(0).count(), args.shape(0).rank()}};
}

RejectionReason fits_masked_select(const void*, const ArgFacts& args) {
  return args.shape(0) == args.shape(1) ? too_large(args) : "the mask has another shape";
}

Prepared prepare_masked_select(const void*, const ArgFacts& args, PrepareContext& context) {
  Definitions d;
  d.set("TAKEN", moved_type(args.in(0).dtype));
  return prepare_compact(args, 1, d, {Parameter::operand(0)}, *context.device);
}

std::vector<Shape> bounds_of_masked_select(const void*, const ArgFacts& args) { return {Shape{args.shape(0).count()}}; }

constexpr KernelDef kKernels[] = {
    {.name = Nonzero::kName,
     .op = &kOpSchema<Nonzero>,
     .types = {.operands = kAsked, .results = DType::kInt64},
     .fits = fits_nonzero,
     .prepare = prepare_nonzero,
     .bounds = bounds_of_nonzero,
     .run = run_plan},
    {.name = MaskedSelect::kName,
     .op = &kOpSchema<MaskedSelect>,
     .types = {.operands = kMoved, .results = kMoved, .in = {PortTypes{1, DType::kBool}, PortTypes{}}},
     .fits = fits_masked_select,
     .prepare = prepare_masked_select,
     .bounds = bounds_of_masked_select,
     .run = run_plan}};

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = {kKernels};

}  // namespace coracle::internal::gpu::kernels::compact
