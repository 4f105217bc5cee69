// SPDX-License-Identifier: Apache-2.0
#include "devices/gpu/launch_plan.h"
#include "ops/conv_pool/pool2d.h"
#include "ops/conv_pool/pool3d.h"
#include "ops/conv_pool/pooling.h"

namespace coracle::internal::gpu::kernels::pool {
namespace {

template <class Op>
RejectionReason fits(const void* attributes, const ArgFacts& args) {
  const auto& op = *static_cast<const Op*>(attributes);
  if (op.pooling_type == PoolingType::kNorm) return "a norm";
  if (is_channels_last(op.data_format)) return "only channels first";
  if (args.in(0).dtype == DType::kInt8 && op.pooling_type != PoolingType::kMax) return "of int8 only the largest";
  if (args.has(1) && known_value(args, 1) == nullptr) return "the window is not constant";
  return too_large(args);
}

/// The sizes of windows are an operand, whose value is known where the kernel fits.
Ints window_of(const Pool2d&, const ArgFacts& args) {
  const Tensor* sizes = known_value(args, 1);
  return sizes == nullptr ? Ints{} : sizes->integers();
}
Ints window_of(const Pool3d& op, const ArgFacts&) { return op.kernel_size; }

Prepared prepare_pooling(const PoolingAttributes& op, const Ints& window, int spatial, const ArgFacts& args,
                         PrepareContext& context) {
  const int64_t count = args.out().shape.count();
  if (count == 0) return prepared({});
  const PoolingGeometry g = pooling_geometry(op, window, args.shape(0), spatial);
  PlannedLaunch l;
  l.grid = grid_of(count);
  l.parameters = {Parameter::result(), Parameter::operand(0), Parameter::of(count)};
  for (const WindowAxis& a : g.axes) {
    for (int64_t n : {a.in, a.out, a.kernel, a.stride, a.pad_before}) l.parameters.push_back(Parameter::of(n));
  }
  Definitions d;
  d.set_stored(args.out().dtype);
  d.set("AVERAGE", g.average ? 1 : 0).set("ADAPTIVE", g.adaptive ? 1 : 0).set("EXCLUSIVE", g.exclusive ? 1 : 0);
  l.function = compile(*context.device, "pool", d);
  return prepared({std::move(l)});
}

template <class Op, int kSpatial>
Prepared prepare(const void* attributes, const ArgFacts& args, PrepareContext& context) {
  const auto& op = *static_cast<const Op*>(attributes);
  return prepare_pooling(op, window_of(op, args), kSpatial, args, context);
}

template <class Op, int kSpatial>
constexpr KernelDef make_kernel() {
  return {.name = Op::kName,
          .op = &kOpSchema<Op>,
          .types = kChosenRule,
          .fits = fits<Op>,
          .prepare = prepare<Op, kSpatial>,
          .run = run_plan};
}

constexpr KernelDef kKernels[] = {make_kernel<Pool2d, 2>(), make_kernel<Pool3d, 3>()};

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = {kKernels};

}  // namespace coracle::internal::gpu::kernels::pool
