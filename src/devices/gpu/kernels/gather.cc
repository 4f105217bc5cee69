// SPDX-License-Identifier: Apache-2.0
#include "ops/index/gather.h"

#include "devices/gpu/launch_plan.h"
#include "ops/common/joining.h"
#include "ops/index/embedding.h"
#include "ops/index/index_select.h"
#include "ops/index/lookup_table.h"

/// Slices of a tensor by number.
namespace coracle::internal::gpu::kernels::gather {
namespace {

struct Gathering {
  int from = 0;  ///< operands: the tensor, the numbers
  int index = 1;
  int64_t axis = 0;
  int64_t nothing = -1;  ///< this number stands for zeros, unless it is -1
  bool from_end = false;
};

std::optional<Gathering> gathering_of(const Gather&, const ArgFacts& args) {
  const Tensor* axis = known_value(args, 2);
  if (args.has(2) && (axis == nullptr || axis->count() == 0)) return std::nullopt;
  return Gathering{0, 1, axis == nullptr ? 0 : axis->integer(0), -1, true};
}
std::optional<Gathering> gathering_of(const IndexSelect& op, const ArgFacts&) {
  return Gathering{0, 1, op.axis, -1, true};
}
template <class Op>
std::optional<Gathering> gathering_of(const Op& op, const ArgFacts&) {
  return Gathering{1, 0, 0, op.padding_idx, false};
}

template <class Op>
RejectionReason fits(const void* op, const ArgFacts& args) {
  if (!gathering_of(*static_cast<const Op*>(op), args)) return "the axis is not constant";
  return too_large(args);
}

Prepared prepare_gathering(const OpSchema& schema, const Gathering& g, const ArgFacts& args, PrepareContext& context) {
  const int64_t count = args.out().shape.count();
  if (count == 0) return prepared({});
  const Fact& x = args.in(g.from);
  const Fact& index = args.in(g.index);
  const Around around(x.shape, normalize_axis(g.axis, x.shape.rank()));
  Definitions d;
  d.set("TYPE", moved_type(x.dtype)).set("INDEX", storage_type(index.dtype)).set("FROM_END", g.from_end ? 1 : 0);
  if (g.nothing != -1) d.set("NOTHING", g.nothing);
  PlannedLaunch l;
  l.grid = grid_of(count);
  l.parameters = {Parameter::result(),
                  Parameter::operand(g.from),
                  Parameter::operand(g.index),
                  Parameter::of(count),
                  Parameter::of(index.shape.count()),
                  Parameter::of(around.inner),
                  Parameter::of(around.dim),
                  Parameter::faults(schema.inputs[static_cast<size_t>(g.index)].label())};
  l.function = compile(*context.device, "gather", d);
  return prepared({std::move(l)});
}

template <class Op>
Prepared prepare(const void* op, const ArgFacts& args, PrepareContext& context) {
  return prepare_gathering(kOpSchema<Op>, *gathering_of(*static_cast<const Op*>(op), args), args, context);
}

template <class Op>
constexpr KernelDef make_kernel(int8_t index_port) {
  return {.name = Op::kName,
          .op = &kOpSchema<Op>,
          .types = {.operands = kMoved, .results = kMoved, .in = {PortTypes{index_port, kIndexTypes}, PortTypes{}}},
          .fits = fits<Op>,
          .prepare = prepare<Op>,
          .run = run_plan};
}

constexpr KernelDef kKernels[] = {make_kernel<Gather>(1), make_kernel<IndexSelect>(1), make_kernel<Embedding>(0),
                                  make_kernel<LookupTable>(0)};

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = {kKernels};

}  // namespace coracle::internal::gpu::kernels::gather
