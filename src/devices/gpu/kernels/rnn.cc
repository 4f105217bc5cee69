// SPDX-License-Identifier: Apache-2.0
#include "ops/rnn/rnn.h"

#include <limits>

#include "devices/gpu/gemm.h"

/// Recurrent layers: a product for the inputs of all steps of a layer, then a launch for each step, of all directions.
namespace coracle::internal::gpu::kernels::rnn {
namespace {

constexpr int kLanesOfUnit = 32;
/// Sequences that share what a work-group reads of the weights, where there are several.
constexpr int kSequences = 4;

/// What the launches of a node share. Positions are in the flat lists, or in the workspace.
class Layers {
 public:
  Layers(const Rnn& op, const ArgFacts& args)
      : op_(op),
        args_(args),
        directions_(op.directions()),
        cells_(op.num_layers * op.directions()),
        time_(args.shape(0)[0]),
        batch_(args.shape(0)[1]),
        hidden_(op.hidden_size),
        columns_(op.gates() * hidden_),
        has_bias_(args.count(2) == 4 * cells_),
        results_(1 + args.out_count(1)) {
    const auto take = [&](int64_t count) {
      constexpr int64_t kAligned = 64;
      const int64_t at = floats_;
      floats_ += (count + kAligned - 1) / kAligned * kAligned;
      return at;
    };
    gates_ = take(directions_ * time_ * batch_ * columns_);
    if (op.mode == RnnMode::kLstm && args.out_count(2) < 2) own_cells_ = take(directions_ * batch_ * hidden_);
    for (int i = 0; i < 2 && i + 1 < op.num_layers; ++i) between_[i] = take(time_ * batch_ * directions_ * hidden_);
  }

  int64_t floats() const { return floats_; }

  LaunchPlan plan(const PrepareContext& context) const {
    LaunchPlan plan;
    for (int layer = 0; layer < op_.num_layers; ++layer) {
      for (int direction = 0; direction < directions_; ++direction) add_product(plan, context, layer, direction);
      add_steps(plan, *context.device, layer);
    }
    return plan;
  }

 private:
  Parameter result_of(int layer) const {
    return layer + 1 == op_.num_layers ? Parameter::result() : Parameter::workspace(between_[layer % 2]);
  }
  Parameter weight(int position) const { return Parameter::operand(args_.index(2, position)); }

  void add_product(LaunchPlan& plan, const PrepareContext& context, int layer, int direction) const {
    const auto step = [](int64_t size, int64_t elements) { return size == 1 ? 0 : elements; };
    const int64_t depth = layer == 0 ? args_.shape(0)[2] : hidden_ * directions_;
    const int64_t rows = time_ * batch_;
    Gemm g;
    g.result = Parameter::workspace(gates_ + direction * rows * columns_);
    g.a = layer == 0 ? Parameter::operand(0) : result_of(layer - 1);
    g.b = weight(2 * (layer * directions_ + direction));
    g.matrices = {.rows = rows,
                  .columns = columns_,
                  .depth = depth,
                  .a_row = step(rows, depth),
                  .a_depth = step(depth, 1),
                  .b_depth = step(depth, 1),
                  .b_column = step(columns_, depth),
                  .batch = {}};
    add(plan, context, g, DType::kFloat32);
  }

  void add_steps(LaunchPlan& plan, OpenDevice& device, int layer) const {
    const int rows = batch_ == 1 ? 1 : kSequences;
    const bool has_state = args_.out_count(2) > 0;
    const int first_cell = layer * directions_;
    const int64_t first_state = first_cell * batch_ * hidden_;
    Definitions d;
    d.set("CELL", static_cast<int64_t>(op_.mode)).set("GATES", op_.gates()).set("DIRECTIONS", directions_);
    d.set("HAS_BIAS", has_bias_ ? 1 : 0).set("HAS_STATE", has_state ? 1 : 0).set("LANES", kLanesOfUnit);
    d.set("ROWS", rows);
    if (args_.has(3)) d.set("LENGTH", storage_type(args_.in(3).dtype));
    PlannedLaunch l;
    l.rounds = time_;
    l.grid.local[0] = kLanesOfUnit;
    l.grid.global[0] = static_cast<size_t>((batch_ + rows - 1) / rows * hidden_ * kLanesOfUnit);
    l.grid.global[1] = static_cast<size_t>(directions_);
    const auto add = [&](Parameter p) { l.parameters.push_back(p); };
    add(result_of(layer));
    add(Parameter::workspace(gates_));
    add(Parameter::operand(args_.index(1)));
    if (has_state) add(Parameter::result(results_));
    if (op_.mode == RnnMode::kLstm) {
      const bool is_wanted = args_.out_count(2) > 1;
      add(Parameter::operand(args_.index(1, 1)));
      add(is_wanted ? Parameter::result(results_ + 1) : Parameter::workspace(own_cells_));
      add(Parameter::of(is_wanted ? first_state : 0));
    }
    for (int cell = first_cell; cell < first_cell + directions_; ++cell) {
      add(weight(2 * cell + 1));
      if (has_bias_) add(weight(2 * cells_ + 2 * cell));
      if (has_bias_) add(weight(2 * cells_ + 2 * cell + 1));
    }
    if (args_.has(3)) add(Parameter::operand(args_.index(3)));
    add(Parameter::round());
    for (const int64_t number : {first_state, time_, batch_, hidden_}) add(Parameter::of(number));
    l.function = compile(device, "rnn", d);
    plan.push_back(std::move(l));
  }

  const Rnn& op_;
  const ArgFacts& args_;
  const int directions_;
  const int cells_;
  const int64_t time_;
  const int64_t batch_;
  const int64_t hidden_;
  const int64_t columns_;  // of the products: gates of all units
  const bool has_bias_;
  const int results_;  // the first state
  int64_t floats_ = 0;
  int64_t gates_ = 0;
  int64_t own_cells_ = 0;
  int64_t between_[2] = {};  // results of all layers but the last, by turns
};

RejectionReason fits(const void* attributes, const ArgFacts& args) {
  if (args.out().shape.count() == 0 || args.shape(0).count() == 0) return "no elements";
  if (const RejectionReason reason = too_large(args)) return reason;
  if (Layers(*static_cast<const Rnn*>(attributes), args).floats() > std::numeric_limits<int32_t>::max() / 2) {
    return "the products with the input have more than 2^30 elements";
  }
  return nullptr;
}

Prepared prepare(const void* attributes, const ArgFacts& args, PrepareContext& context) {
  const Layers layers(*static_cast<const Rnn*>(attributes), args);
  return prepared(layers.plan(context), layers.floats());
}

/// Result 1, the state of dropout, is empty.
constexpr KernelDef kKernels[] = {
    {.name = Rnn::kName,
     .op = &kOpSchema<Rnn>,
     .types = {.in = {PortTypes{3, kIndexTypes}, PortTypes{}}, .out = {PortTypes{1, DType::kUint8}}},
     .fits = fits,
     .prepare = prepare,
     .run = run_plan}};

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = {kKernels};

}  // namespace coracle::internal::gpu::kernels::rnn
