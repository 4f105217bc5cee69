// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "devices/gpu/sorted_lines.h"
#include "ops/detection/multiclass_nms3.h"

/// Suppression of boxes that overlap better ones of their class. Which overlap is decided in float64, as on the CPU.
namespace coracle::internal::gpu::kernels::nms {
namespace {

constexpr int64_t kLanesOfLine = 64;
/// Boxes that a lane looks at together when candidates are chosen.
constexpr int64_t kOfLane = 4;

/// How many there are of what.
struct Sizes {
  int64_t images = 0;
  int64_t classes = 0;
  int64_t boxes = 0;
  int64_t most = 0;      ///< boxes of a class that are candidates
  int64_t capacity = 0;  ///< boxes of an image that may be left of all classes
  int64_t keep = 0;      ///< of them, those that stay

  Sizes(const MulticlassNms3& op, const Shape& scores) : images(scores[0]), classes(scores[1]), boxes(scores[2]) {
    most = op.nms_top_k < 0 ? boxes : std::min<int64_t>(op.nms_top_k, boxes);
    const bool has_background = op.background_label >= 0 && op.background_label < classes;
    capacity = (classes - (has_background ? 1 : 0)) * most;
    keep = op.keep_top_k < 0 ? capacity : std::min<int64_t>(op.keep_top_k, capacity);
  }
  int64_t lines() const { return images * classes; }
};

RejectionReason fits(const void* attributes, const ArgFacts& args) {
  const auto& op = *static_cast<const MulticlassNms3*>(attributes);
  if (args.shape(1).rank() != 3) return "regions of several images";
  if (args.shape(0)[2] != 4) return "boxes are polygons";
  if (args.out_count(2) == 0) return "offsets of sequences are wanted";
  if (const RejectionReason reason = too_large(args)) return reason;
  const Sizes n(op, args.shape(1));
  if (n.keep == 0) return "no elements";
  if (n.classes * n.boxes > std::numeric_limits<int32_t>::max() / 2) return "more than 2^30 boxes of all classes";
  if (const RejectionReason reason = sorting_rejection(n.lines(), n.boxes)) return reason;
  return sorting_rejection(n.images, n.capacity);
}

std::vector<Shape> bounds(const void* attributes, const ArgFacts& args) {
  std::vector<Shape> shapes(args.all_out().size());
  int64_t rows = 0;
  if (args.shape(1).rank() == 3) {
    const Sizes n(*static_cast<const MulticlassNms3*>(attributes), args.shape(1));
    rows = n.images * n.keep;
  }
  shapes[0] = Shape{rows, args.shape(0)[2] + 2};
  for (size_t i = 1; i < shapes.size(); ++i) shapes[i] = Shape{rows, 1};
  return shapes;
}

class Launches {
 public:
  Launches(const MulticlassNms3& op, const ArgFacts& args, OpenDevice& device)
      : op_(op), args_(args), device_(device), n_(op, args.shape(1)) {
    d_.set("LANES", kLanesOfLine).set("OF_LANE", kOfLane).set("NORMALIZED", op.normalized ? 1 : 0);
    d_.set("SHRINKS", op.nms_eta < 1 ? 1 : 0).set("SELECTED", n_.keep < n_.capacity ? 1 : 0);
    d_.set("HAS_INDICES", args.out_count(1) > 0 ? 1 : 0);
  }

  Prepared prepared() && {
    suppress();
    join();
    give();
    return gpu::prepared(std::move(plan_), room_.floats());
  }

 private:
  Parameter take(int64_t count) { return Parameter::workspace(room_.take(count)); }

  void add_launch(const char* name, const Grid& grid, std::vector<Parameter> parameters,
                  std::initializer_list<int64_t> numbers, std::initializer_list<float> reals = {}) {
    for (const int64_t n : numbers) parameters.push_back(Parameter::of(n));
    for (const float r : reals) parameters.push_back(Parameter::of(r));
    PlannedLaunch l;
    l.grid = grid;
    l.parameters = std::move(parameters);
    l.function = static_cast<OpenGpu&>(device_).compile({.name = "nms"}, name, d_.text());
    plan_.push_back(std::move(l));
  }

  void suppress() {
    const Parameter keys = take(n_.lines() * n_.boxes);
    const Parameter candidates = take(n_.lines() * n_.boxes);
    const Parameter counts = take(n_.lines());
    const Grid lines = grid_of_lines(n_.lines(), kLanesOfLine);
    add_launch("nms_candidates", lines, {keys, candidates, counts, Parameter::operand(1)},
               {n_.classes, n_.boxes, op_.background_label}, {op_.score_threshold});
    SortedLines s;
    s.keys = keys;
    s.lines = n_.lines();
    s.length = n_.boxes;
    s.counts = &counts;
    s.limit = n_.most;
    const Parameter order = add(plan_, device_, room_, s);
    kept_ = take(n_.lines() * n_.most);
    kept_counts_ = take(n_.lines());
    add_launch("nms_suppress", lines, {kept_, kept_counts_, order, candidates, counts, Parameter::operand(0)},
               {n_.classes, n_.boxes, n_.most}, {op_.nms_threshold, op_.nms_eta});
  }

  void join() {
    found_ = take(n_.images * n_.capacity);
    found_counts_ = take(n_.images);
    keys_ = take(n_.images * n_.capacity);
    marks_ = take(n_.images * n_.capacity);
    add_launch("nms_join", grid_of_lines(n_.lines(), kLanesOfLine),
               {found_, found_counts_, keys_, marks_, kept_, kept_counts_, Parameter::operand(1)},
               {n_.classes, n_.boxes, n_.most, n_.capacity});
  }

  void give() {
    if (n_.keep < n_.capacity) {
      SortedLines s;
      s.keys = keys_;
      s.lines = n_.images;
      s.length = n_.capacity;
      s.counts = &found_counts_;
      s.limit = n_.keep;
      const Parameter order = add(plan_, device_, room_, s);
      const int64_t items = n_.images * n_.keep;
      add_launch("nms_mark", grid_of(items), {marks_, order, found_counts_}, {items, n_.keep, n_.capacity});
    }
    std::vector<Parameter> parameters = {Parameter::result(0)};
    int result = 1;
    if (args_.out_count(1) > 0) parameters.push_back(Parameter::result(result++));
    parameters.push_back(Parameter::result(result++));
    parameters.push_back(Parameter::result(result));
    parameters.insert(parameters.end(), {found_, found_counts_, keys_, marks_, Parameter::operand(0)});
    add_launch("nms_rows", grid_of_lines(n_.images, kLanesOfLine), std::move(parameters),
               {n_.images, n_.boxes, n_.keep, n_.capacity});
  }

  const MulticlassNms3& op_;
  const ArgFacts& args_;
  OpenDevice& device_;
  const Sizes n_;
  Definitions d_;
  LaunchPlan plan_;
  WorkspaceRoom room_;
  Parameter kept_;
  Parameter kept_counts_;
  Parameter found_;
  Parameter found_counts_;
  Parameter keys_;
  Parameter marks_;
};

Prepared prepare(const void* attributes, const ArgFacts& args, PrepareContext& context) {
  return Launches(*static_cast<const MulticlassNms3*>(attributes), args, *context.device).prepared();
}

constexpr KernelDef kKernels[] = {
    {.name = MulticlassNms3::kName,
     .op = &kOpSchema<MulticlassNms3>,
     .types = {.results = DTypes(DType::kFloat32) | DType::kInt32, .in = {PortTypes{2, kIndexTypes}, PortTypes{}}},
     .doubles = true,
     .fits = fits,
     .prepare = prepare,
     .bounds = bounds,
     .run = run_plan}};

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = {kKernels};

}  // namespace coracle::internal::gpu::kernels::nms
