// SPDX-License-Identifier: Apache-2.0
#include "devices/gpu/sorted_lines.h"
#include "ops/index/gather_nd.h"
#include "ops/index/scatter.h"
#include "ops/index/scatter_nd_add.h"

/// Rows that tuples of indices name, taken or put in their places.
namespace coracle::internal::gpu::kernels::indexed_rows {
namespace {

/// What there is to compute with; rows that are only moved may be of any type.
constexpr DTypes kAdded = DType::kFloat32 | kIndexTypes;

std::shared_ptr<const Function> function_of(OpenDevice& device, std::string_view name, const Definitions& d) {
  return static_cast<OpenGpu&>(device).compile({.name = "indexed_rows"}, name, d.text());
}

/// Tuples of indices at port 1, of which each names a row of x.
class Tuples {
 public:
  /// `slot`: of the operand, for errors.
  Tuples(const ArgFacts& args, int depth, const char* slot) : args_(args), depth_(depth), slot_(slot) {
    count_ = depth == 0 ? 0 : args.shape(1).count() / depth;
    width_ = args.shape(0).count(depth, args.shape(0).rank());
  }
  int64_t count() const { return count_; }
  int64_t width() const { return width_; }
  RejectionReason rejection() const {
    if (depth_ == 0) return "no indices";
    return too_large(args_);
  }

  Definitions definitions() const {
    Definitions d;
    d.set("INDEX", storage_type(args_.in(1).dtype)).set("DEPTH", depth_).set_each("SIZES", 0, depth_);
    return d;
  }
  /// Adds the launch that finds the rows. Gives where.
  Parameter add_rows(LaunchPlan& plan, OpenDevice& device, WorkspaceRoom& room) const {
    const Parameter rows = Parameter::workspace(room.take(count_));
    PlannedLaunch l;
    l.grid = grid_of(count_);
    l.parameters = {rows, Parameter::operand(1), Parameter::of(count_)};
    for (int d = 0; d < depth_; ++d) l.parameters.push_back(Parameter::of(args_.shape(0)[d]));
    l.parameters.push_back(Parameter::faults(slot_));
    l.function = function_of(device, "indexed_rows", definitions());
    plan.push_back(std::move(l));
    return rows;
  }

 private:
  const ArgFacts& args_;
  const int depth_;
  const char* const slot_;
  int64_t count_ = 0;
  int64_t width_ = 0;
};

int depth_of(const Shape& index) { return static_cast<int>(index.is_scalar() ? 1 : index.back()); }
Tuples tuples_of(const GatherNd&, const ArgFacts& args) { return {args, depth_of(args.shape(1)), "Index"}; }
Tuples tuples_of(const ScatterNdAdd&, const ArgFacts& args) { return {args, depth_of(args.shape(1)), "Index"}; }
Tuples tuples_of(const Scatter&, const ArgFacts& args) { return {args, 1, "Ids"}; }

bool overwrites(const Scatter& op) { return op.overwrite; }
bool overwrites(const ScatterNdAdd&) { return false; }
bool keeps(const Scatter& op) { return op.overwrite; }
bool keeps(const ScatterNdAdd&) { return true; }

RejectionReason fits_gather(const void* op, const ArgFacts& args) {
  return tuples_of(*static_cast<const GatherNd*>(op), args).rejection();
}

Prepared prepare_gather(const void* op, const ArgFacts& args, PrepareContext& context) {
  const int64_t count = args.out().shape.count();
  if (count == 0) return prepared({});
  const Tuples tuples = tuples_of(*static_cast<const GatherNd*>(op), args);
  LaunchPlan plan;
  WorkspaceRoom room;
  const Parameter rows = tuples.add_rows(plan, *context.device, room);
  Definitions d = tuples.definitions();
  d.set("TYPE", moved_type(args.in(0).dtype)).set("REAL", 0).set("ADDS", 0).set("KEEPS", 1);
  PlannedLaunch l;
  l.grid = grid_of(count);
  l.parameters = {Parameter::result(), Parameter::operand(0), rows, Parameter::of(count),
                  Parameter::of(tuples.width())};
  l.function = function_of(*context.device, "take_rows", d);
  plan.push_back(std::move(l));
  return prepared(std::move(plan), room.floats());
}

template <class Op>
RejectionReason fits_scatter(const void* attributes, const ArgFacts& args) {
  const auto& op = *static_cast<const Op*>(attributes);
  if (!overwrites(op) && !kAdded.has(args.in(0).dtype)) return "only float32, int32 and int64 are added";
  if (args.in(0).dtype != args.in(2).dtype) return "updates of another type";
  const Tuples tuples = tuples_of(op, args);
  if (const RejectionReason reason = tuples.rejection()) return reason;
  if (tuples.count() == 0) return "no indices";
  return sorting_rejection(1, tuples.count());
}

Prepared prepare_put(const Tuples& tuples, bool adds, bool keeps, const ArgFacts& args, PrepareContext& context) {
  const int64_t count = args.out().shape.count();
  if (count == 0) return prepared({});
  const DType dtype = args.in(0).dtype;
  LaunchPlan plan;
  WorkspaceRoom room;
  const Parameter rows = tuples.add_rows(plan, *context.device, room);
  SortedLines s;
  s.keys = rows;
  s.type = DType::kInt32;
  s.descending = false;
  s.length = s.limit = tuples.count();
  const Parameter order = add(plan, *context.device, room, s);
  Definitions d = tuples.definitions();
  d.set("TYPE", adds ? storage_type(dtype) : moved_type(dtype)).set("KEEPS", keeps ? 1 : 0);
  d.set("ADDS", adds ? 1 : 0).set("REAL", adds && is_float(dtype) ? 1 : 0);
  PlannedLaunch l;
  l.grid = grid_of(count);
  l.parameters = {Parameter::result(),  Parameter::operand(0),         Parameter::operand(2),        rows, order,
                  Parameter::of(count), Parameter::of(tuples.width()), Parameter::of(tuples.count())};
  l.function = function_of(*context.device, "put_rows", d);
  plan.push_back(std::move(l));
  Prepared p = prepared(std::move(plan), room.floats());
  p.in_place = 0;
  return p;
}

template <class Op>
Prepared prepare_scatter(const void* attributes, const ArgFacts& args, PrepareContext& context) {
  const auto& op = *static_cast<const Op*>(attributes);
  return prepare_put(tuples_of(op, args), !overwrites(op), keeps(op), args, context);
}

template <class Op>
constexpr KernelDef make_kernel(decltype(KernelDef::fits) fits, decltype(KernelDef::prepare) prepare) {
  return {.name = Op::kName,
          .op = &kOpSchema<Op>,
          .types = {.operands = kMoved, .results = kMoved, .in = {PortTypes{1, kIndexTypes}, PortTypes{}}},
          .fits = fits,
          .prepare = prepare,
          .run = run_plan};
}

constexpr KernelDef kKernels[] = {make_kernel<GatherNd>(fits_gather, prepare_gather),
                                  make_kernel<Scatter>(fits_scatter<Scatter>, prepare_scatter<Scatter>),
                                  make_kernel<ScatterNdAdd>(fits_scatter<ScatterNdAdd>, prepare_scatter<ScatterNdAdd>)};

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = {kKernels};

}  // namespace coracle::internal::gpu::kernels::indexed_rows
