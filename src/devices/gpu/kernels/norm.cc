// SPDX-License-Identifier: Apache-2.0
#include "devices/gpu/map.h"
#include "ops/norm/batch_norm.h"
#include "ops/norm/group_norm.h"
#include "ops/norm/instance_norm.h"
#include "ops/norm/layer_norm.h"
#include "ops/norm/rms_norm.h"

namespace coracle::internal::gpu::kernels::norm {
namespace {

/// Lines of neighbours, each with a mean and a variance of its own; a channel is `inner` neighbours in all of them.
struct Normalised {
  int64_t length = 1;
  int64_t inner = 1;
  int64_t channels = 1;
  int scale = 1;  ///< ports
  int bias = 2;
  double epsilon = 0;
  bool rms = false;
};

Normalised lines_of(const LayerNorm& op, const Shape& x) {
  const int64_t n = x.count(normalize_axis(op.begin_norm_axis, x.rank()), x.rank());
  return {.length = n, .channels = n, .epsilon = op.epsilon};
}
Normalised lines_of(const RmsNorm& op, const Shape& x) {
  const int64_t n = x.count(normalize_axis(op.begin_norm_axis, x.rank()), x.rank());
  return {.length = n, .channels = n, .scale = 3, .bias = 4, .epsilon = op.epsilon, .rms = true};
}
Normalised lines_of(const GroupNorm& op, const Shape& x) {
  const int64_t inner = x.count(2, x.rank());
  return {.length = x[1] / op.groups * inner, .inner = inner, .channels = x[1], .epsilon = op.epsilon};
}
Normalised lines_of(const InstanceNorm& op, const Shape& x) {
  const int64_t inner = x.count(2, x.rank());
  return {.length = inner, .inner = inner, .channels = x[1], .epsilon = op.epsilon};
}

template <class Op>
RejectionReason fits(const void* attributes, const ArgFacts& args) {
  [[maybe_unused]] const auto& op = *static_cast<const Op*>(attributes);
  if constexpr (requires { op.data_format; }) {
    if (is_channels_last(op.data_format)) return "only channels first";
  }
  if constexpr (std::is_same_v<Op, RmsNorm>) {
    if (args.has(1) || args.has(2)) return "something is added first";
  }
  if (args.all_out().size() != 1) return "the moments are wanted";
  return too_large(args);
}

Prepared prepare_lines(const Normalised& n, const ArgFacts& args, PrepareContext& context) {
  const int64_t count = args.out().shape.count();
  if (count == 0) return prepared({});
  const int lanes = lanes_for(n.length);
  Definitions d;
  d.set_stored(args.out().dtype).set("LANES", lanes).set("RMS", n.rms ? 1 : 0);
  d.set("HAS_SCALE", args.has(n.scale) ? 1 : 0).set("HAS_BIAS", args.has(n.bias) ? 1 : 0);
  PlannedLaunch l;
  l.grid = grid_of_lines(count / n.length, lanes);
  l.parameters = {Parameter::result(), Parameter::operand(0)};
  for (int port : {n.scale, n.bias}) {
    if (args.has(port)) l.parameters.push_back(Parameter::operand(args.index(port)));
  }
  for (int64_t i : {count / n.length, n.length, n.inner, n.channels}) l.parameters.push_back(Parameter::of(i));
  l.parameters.push_back(Parameter::of(static_cast<float>(n.epsilon)));
  l.function = compile(*context.device, "line_norm", d);
  return prepared({std::move(l)});
}

template <class Op>
Prepared prepare(const void* op, const ArgFacts& args, PrepareContext& context) {
  return prepare_lines(lines_of(*static_cast<const Op*>(op), args.shape(0)), args, context);
}

RejectionReason fits_batch_norm(const void* attributes, const ArgFacts& args) {
  const auto& op = *static_cast<const BatchNorm*>(attributes);
  if (op.uses_batch()) return "the moments are those of the batch";
  if (args.all_out().size() != 1) return "the moments are wanted";
  return too_large(args);
}

Prepared prepare_batch_norm(const void* attributes, const ArgFacts& args, PrepareContext& context) {
  const auto& op = *static_cast<const BatchNorm*>(attributes);
  const char* type = storage_type(args.out().dtype);
  Map map = map_to(args.out(), type);
  map.operands.push_back(broadcast_operand(args, 0, args.out(), type));
  // Each statistic has one element for each channel.
  const auto channel = static_cast<size_t>(channel_axis(op.data_format, args.shape(0).rank()));
  std::string factor = "/MATH(sqrt)(v2+n0)";
  std::string shift;
  for (int port = 1; port <= 4; ++port) {
    if (!args.has(port)) continue;
    const std::string v = "v" + std::to_string(map.operands.size());
    MapTensor t{Parameter::operand(args.index(port)), storage_type(args.in(port).dtype), 0,
                std::vector<int64_t>(map.size.size(), 0)};
    t.step[channel] = 1;
    map.operands.push_back(std::move(t));
    if (port == 3) factor = "*(" + v + factor + ")";
    if (port == 4) shift = "+" + v;
  }
  map.numbers = {static_cast<float>(op.epsilon)};
  map.expression = "(v0-v1)" + factor + shift;
  LaunchPlan plan;
  add(plan, *context.device, map);
  return prepared(std::move(plan));
}

template <class Op>
constexpr KernelDef make_kernel() {
  return {.name = Op::kName,
          .op = &kOpSchema<Op>,
          .types = kFloatRule,
          .fits = fits<Op>,
          .prepare = prepare<Op>,
          .run = run_plan};
}

constexpr KernelDef kKernels[] = {
    make_kernel<LayerNorm>(),
    make_kernel<RmsNorm>(),
    make_kernel<GroupNorm>(),
    make_kernel<InstanceNorm>(),
    {.name = BatchNorm::kName,
     .op = &kOpSchema<BatchNorm>,
     .layout = LayoutRule::kSame,
     .types = {.operands = kFloats, .results = kFloats},
     .fits = fits_batch_norm,
     .prepare = prepare_batch_norm,
     .run = run_plan},
};

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = {kKernels};

}  // namespace coracle::internal::gpu::kernels::norm
