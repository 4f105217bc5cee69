// SPDX-License-Identifier: Apache-2.0
#include "ops/interp/interpolation.h"

#include "devices/gpu/launch_plan.h"
#include "ops/interp/bicubic_interp.h"
#include "ops/interp/bilinear_interp.h"
#include "ops/interp/legacy_bicubic_interp.h"
#include "ops/interp/legacy_bilinear_interp.h"
#include "ops/interp/legacy_linear_interp.h"
#include "ops/interp/legacy_nearest_interp.h"
#include "ops/interp/legacy_trilinear_interp.h"
#include "ops/interp/linear_interp.h"
#include "ops/interp/nearest_interp.h"
#include "ops/interp/nearest_interp_add.h"
#include "ops/interp/trilinear_interp.h"

namespace coracle::internal::gpu::kernels::interpolation {
namespace {

std::optional<InterpolationRequest> request_of(const InterpolationOperator& op, const ArgFacts& args) {
  return interpolation_request(op, args.count(2), args.has(1), args.has(3),
                               [&](int port, int i) { return args.in(port, i).value.get(); });
}

template <class Op>
constexpr bool kAdds = std::is_same_v<Op, NearestInterpAdd>;

/// Whether a factor is one number, one for each channel, or one for each channel of each image: what repeats from plane
/// to plane of the result.
bool one_for_each_plane(const Shape& factor, const Shape& result) {
  if (factor.count() == 1) return true;
  const int missing = result.rank() - factor.rank();
  for (int d = 0; d < result.rank(); ++d) {
    const int64_t size = d < missing ? 1 : factor[d - missing];
    const bool whole = size == result[d];
    if (!(d == 0 ? whole || size == 1 : d == 1 ? whole : size == 1)) return false;
  }
  return true;
}

template <class Op>
RejectionReason fits(const void* attributes, const ArgFacts& args) {
  const auto& op = *static_cast<const Op*>(attributes);
  if (is_channels_last(op.format())) return "only channels first";
  if (!request_of(op, args)) return "the size is not constant";
  if constexpr (kAdds<Op>) {
    if (args.has(NearestInterpAdd::kFactor) &&
        !one_for_each_plane(args.shape(NearestInterpAdd::kFactor), args.out().shape)) {
      return "a factor that differs within a plane";
    }
    if (!(args.shape(NearestInterpAdd::kAddend) == args.out().shape)) return "what is added is broadcast";
    const InterpolationGeometry g = interpolation_geometry(op, Op::kKind, args.shape(0), *request_of(op, args));
    if (g.batch * g.channels * g.axes[0].out * g.axes[1].out * g.axes[2].out != args.out().shape.count()) {
      return "the resized image is broadcast";
    }
  }
  return too_large(args);
}

/// `addend` and `factor`: operands, -1 for none.
Prepared prepare_resizing(const InterpolationOperator& op, InterpolationKind kind, int addend, int factor,
                          const ArgFacts& args, PrepareContext& context) {
  const int64_t count = args.out().shape.count();
  if (count == 0) return prepared({});
  const InterpolationGeometry g = interpolation_geometry(op, kind, args.shape(0), *request_of(op, args));
  PlannedLaunch l;
  l.grid = grid_of(count);
  l.parameters = {Parameter::result(), Parameter::operand(0), Parameter::of(count)};
  for (int i = 0; i < 3; ++i) {
    const InterpolationAxis& a = g.axes[i];
    const bool resized = i >= 3 - g.spatial && !a.copy;
    l.parameters.insert(l.parameters.end(), {Parameter::of(a.in), Parameter::of(a.out), Parameter::of(a.ratio),
                                             Parameter::of(int64_t{resized ? 1 : 0})});
  }
  Definitions d;
  d.set_stored(args.out().dtype);
  const int taps[] = {1, 2, 4};
  d.set("TAPS", taps[static_cast<size_t>(kind.method)]);
  d.set("HALF_PIXEL", g.axes[2].half_pixel ? 1 : 0).set("ALIGN_CORNERS", g.axes[2].align_corners ? 1 : 0);
  d.set("HAS_ADDEND", addend >= 0 ? 1 : 0).set("HAS_FACTOR", factor >= 0 ? 1 : 0);
  for (int operand : {addend, factor}) {
    if (operand >= 0) l.parameters.push_back(Parameter::operand(operand));
  }
  if (factor >= 0) l.parameters.push_back(Parameter::of(args.shape(NearestInterpAdd::kFactor).count()));
  l.function = compile(*context.device, "interpolation", d);
  return prepared({std::move(l)});
}

template <class Op>
Prepared prepare(const void* op, const ArgFacts& args, PrepareContext& context) {
  int addend = -1;
  int factor = -1;
  if constexpr (kAdds<Op>) {
    addend = args.index(NearestInterpAdd::kAddend);
    if (args.has(NearestInterpAdd::kFactor)) factor = args.index(NearestInterpAdd::kFactor);
  }
  return prepare_resizing(*static_cast<const Op*>(op), Op::kKind, addend, factor, args, context);
}

/// The nearest element may be of int8.
template <class Op>
constexpr TypeRule kTypes = Op::kKind.method == InterpolationMethod::kNearest && !kAdds<Op> ? kChosenRule : kFloatRule;

template <class... Ops>
constexpr std::array<KernelDef, sizeof...(Ops)> kernels_of() {
  return {KernelDef{.name = Ops::kName,
                    .op = &kOpSchema<Ops>,
                    .types = kTypes<Ops>,
                    .fits = fits<Ops>,
                    .prepare = prepare<Ops>,
                    .run = run_plan}...};
}

constexpr auto kKernels = kernels_of<NearestInterp, BilinearInterp, BicubicInterp, LinearInterp, TrilinearInterp,
                                     NearestInterpAdd, LegacyNearestInterp, LegacyBilinearInterp, LegacyBicubicInterp,
                                     LegacyLinearInterp, LegacyTrilinearInterp>();

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = {kKernels};

}  // namespace coracle::internal::gpu::kernels::interpolation
