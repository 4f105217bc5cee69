// SPDX-License-Identifier: Apache-2.0
#include "ops/movement/pad.h"

#include <cstring>

#include "base/convert.h"
#include "devices/gpu/launch_plan.h"
#include "ops/movement/pad2d.h"
#include "ops/movement/pad3d.h"

namespace coracle::internal::gpu::kernels::pad {
namespace {

struct Padding {
  std::vector<PadAmount> amounts;
  PadMode mode = PadMode::kConstant;
  double value = 0;
};

// Nothing where it is not known while planning.
std::optional<Padding> padding_of(const Pad& op, const ArgFacts& args) {
  Padding p{pad_amounts(op), PadMode::kConstant, 0};
  if (!args.has(1)) return p;
  const Tensor* value = known_value(args, 1);
  if (value == nullptr || value->count() == 0) return std::nullopt;
  p.value = value->number(0);
  return p;
}

template <class Op>
std::optional<Padding> padding_of(const Op& op, const ArgFacts& args) {
  if (args.has(1) && known_value(args, 1) == nullptr) return std::nullopt;
  const Ints paddings = args.has(1) ? known_value(args, 1)->integers() : Ints(std::is_same_v<Op, Pad2d> ? 4 : 6, 0);
  return Padding{pad_amounts(op, paddings), pad_mode_of(op.mode), op.pad_value};
}

template <class Op>
RejectionReason fits(const void* op, const ArgFacts& args) {
  if (!padding_of(*static_cast<const Op*>(op), args)) return "the paddings are not constant";
  return too_large(args);
}

Prepared prepare_padding(const Padding& padding, const ArgFacts& args, PrepareContext& context) {
  const Shape& x = args.shape(0);
  const Shape& y = args.out().shape;
  if (y.count() == 0) return prepared({});
  uint64_t fill = 0;
  visit_real(args.in(0).dtype, [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    const T value = convert<T>(padding.value);
    std::memcpy(&fill, &value, sizeof(T));
  });
  Definitions d;
  d.set("TYPE", moved_type(args.in(0).dtype)).set("MODE", static_cast<int64_t>(padding.mode));
  d.set_each("AXES", 0, y.rank());
  PlannedLaunch l;
  l.grid = grid_of(y.count());
  l.parameters = {Parameter::result(), Parameter::operand(0), Parameter::of(y.count()),
                  Parameter::of(static_cast<int64_t>(static_cast<int32_t>(fill & 0xffffffff))),
                  Parameter::of(static_cast<int64_t>(static_cast<int32_t>(fill >> 32)))};
  for (int axis = y.rank() - 1; axis >= 0; --axis) {
    l.parameters.push_back(Parameter::of(y[axis]));
    l.parameters.push_back(Parameter::of(x[axis]));
    l.parameters.push_back(Parameter::of(padding.amounts[static_cast<size_t>(axis)].before));
  }
  l.function = compile(*context.device, "pad", d);
  return prepared({std::move(l)});
}

template <class Op>
Prepared prepare(const void* op, const ArgFacts& args, PrepareContext& context) {
  return prepare_padding(*padding_of(*static_cast<const Op*>(op), args), args, context);
}

template <class... Ops>
constexpr std::array<KernelDef, sizeof...(Ops)> kernels_of() {
  return {KernelDef{.name = Ops::kName,
                    .op = &kOpSchema<Ops>,
                    .types = kRealRule,
                    .fits = fits<Ops>,
                    .prepare = prepare<Ops>,
                    .run = run_plan}...};
}

constexpr auto kKernels = kernels_of<Pad, Pad2d, Pad3d>();

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = {kKernels};

}  // namespace coracle::internal::gpu::kernels::pad
