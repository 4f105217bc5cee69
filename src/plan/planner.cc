// SPDX-License-Identifier: Apache-2.0
#include "plan/planner.h"

#include <algorithm>
#include <optional>

#include "ops/control/if.h"
#include "ops/control/while.h"
#include "ops/movement/relayout.h"
#include "plan/counted_results.h"
#include "plan/kernel_matcher.h"
#include "plan/partition.h"
#include "plan/placement.h"
#include "plan/reference_kernel.h"
#include "plan/segment_buffers.h"
#include "plan/waits.h"

namespace coracle::internal {
namespace {

bool all_known(std::span<const Fact> facts) {
  return std::all_of(facts.begin(), facts.end(), [](const Fact& f) { return f.known() && !f.is_array; });
}

/// By value, where it stands; none without devices.
std::vector<Place> places_of(std::span<const Fact> facts, const KernelSelector& selector) {
  std::vector<Place> places(selector.devices().empty() ? 0 : facts.size());
  for (size_t i = 0; i < places.size(); ++i) places[i] = facts[i].place;
  return places;
}

/// Plans one segment; see plan_segment.
class SegmentPlanner {
 public:
  /// `counts`: the last node may be one whose results have a number of rows that a device says.
  SegmentPlanner(const Graph& graph, const GraphUses& uses, size_t position, std::span<const Fact> facts,
                 const PlanContext& context, bool counts)
      : graph_(graph),
        uses_(uses),
        position_(position),
        context_(context),
        counts_(counts),
        given_(places_of(facts, *context.selector)),
        facts_(facts.begin(), facts.end()),
        buffers_(graph, facts_, steps_,
                 {.selector = context.selector,
                  .constants = context.constants,
                  .graph = context.graph,
                  .prepare = [this](Step& step, const ArgFacts& args) { prepare(step, args); },
                  .upcast_value = [this](ValueId v) { return upcast_value(v); },
                  .given = given_,
                  .stays = [this](ValueId v, Place device) { return stays(v, device); }}) {
    for (Fact& fact : facts_) fact.place = Place{};  // of what steps read and make, each says its own
  }

  /// Nothing where no device takes that last node.
  std::optional<Steps> plan() {
    infer();
    find_needed();
    find_places();
    if (counted_ && places_[*counted_ - position_].place.is_host()) return std::nullopt;
    for (size_t p = position_; p < steps_.stop; ++p) {
      if (needs_step_[p - position_] && !add_step(p)) return std::nullopt;
    }
    add_live_outs();
    buffers_.finish();
    if (!places_.empty()) advance_copies(steps_);
    const StageContext stage_context{.threads = context_.pool->threads(),
                                     .prepare = [this](Step& step, const ArgFacts& args) { prepare(step, args); }};
    for (const PlanStage* stage : context_.selector->stages()) stage->apply(steps_, stage_context);
    if (!places_.empty()) add_waits(steps_);
    place_in_memory(context_.run, steps_, context_.selector->devices());
    context_.run.check();  // what was prepared on threads may be unfinished
    return std::move(steps_);
  }

 private:
  // ---- shapes

  void infer() {
    const std::vector<NodeId>& order = graph_.order();
    std::vector<const Fact*> args;
    size_t p = position_;
    for (; p < std::min(order.size(), context_.end); ++p) {
      const Node& node = graph_.node(order[p]);
      if (!plannable(graph_, node)) break;
      args.clear();
      for (ValueId v : node.inputs) args.push_back(&facts_[index(v)]);
      if (std::any_of(args.begin(), args.end(), [](const Fact* f) { return f->is_array; })) break;
      std::vector<Fact> results = infer_node(context_.run, node, args);
      const bool counted = !all_known(results);
      if (counted && !(counts_ && take_bounds(*context_.selector, node, args, results, counted_values_))) break;
      for (size_t i = 0; i < results.size(); ++i) facts_[index(node.outputs[i])] = std::move(results[i]);
      if (!counted) continue;
      counted_ = p++;
      break;
    }
    steps_.stop = p;
  }

  bool used_later(ValueId v) const {
    const size_t last = uses_.last_use[index(v)];
    return last != GraphUses::kUnused && last >= steps_.stop;
  }

  /// A node runs if one of its results is used by a node that runs, or after the segment, and is not known already.
  void find_needed() {
    needs_step_.assign(steps_.stop - position_, false);
    std::vector<bool> needed(graph_.value_count(), false);
    for (size_t p = steps_.stop; p-- > position_;) {
      const Node& node = graph_.node(graph_.order()[p]);
      bool runs = !node.op.schema().pure;
      for (ValueId v : node.outputs) {
        if ((needed[index(v)] || used_later(v)) && facts_[index(v)].value == nullptr) runs = true;
      }
      if (!runs) continue;
      needs_step_[p - position_] = true;
      for (ValueId v : node.inputs) needed[index(v)] = true;
    }
  }

  /// Whether somebody after the segment may take a value where it is on a device.
  bool stays(ValueId v, Place device) const {
    if (std::find(context_.stay.begin(), context_.stay.end(), v) != context_.stay.end()) return true;
    // Mostly few of the rows are there: what is large is rather copied when it is known how many.
    constexpr size_t kSmall = 64 << 10;
    const bool counted = std::find(counted_values_.begin(), counted_values_.end(), v) != counted_values_.end();
    if (counted && facts_[index(v)].bytes() > kSmall) return true;
    const std::vector<NodeId>& order = graph_.order();
    for (size_t p = steps_.stop; p < order.size() && p <= uses_.last_use[index(v)]; ++p) {
      if (may_take(graph_.node(order[p]), v, device)) return true;
    }
    return false;
  }

  /// Loops and branches hand on what their regions take; their conditions and shapes are read on the host.
  bool may_take(const Node& node, ValueId v, Place device) const {
    const bool hands_on = node.op.is<While>() || node.op.is<If>();
    const std::span<const Port> ports = node.op.schema().inputs;
    if (!hands_on && (!plannable(graph_, node) || context_.selector->kernels(node.op.schema(), device).empty()))
      return false;
    size_t flat = 0;
    for (size_t p = 0; p < node.input_counts.size(); ++p) {
      for (int i = 0; i < node.input_counts[p]; ++i, ++flat) {
        if (node.inputs[flat] == v && !(hands_on ? p == 0 : ports[p].shape_input)) return true;
      }
    }
    return false;
  }

  /// Decides where nodes run, if there are devices.
  void find_places() {
    if (context_.selector->devices().empty()) return;
    const std::span<const NodeId> order = graph_.order();
    places_ = partition(context_.run, {.graph = graph_,
                                       .nodes = order.subspan(position_, steps_.stop - position_),
                                       .runs = needs_step_,
                                       .facts = facts_,
                                       .used_later = [this](ValueId v) { return used_later(v); },
                                       .upcast_value = [this](ValueId v) { return upcast_value(v); },
                                       .selector = *context_.selector,
                                       .given = given_,
                                       .stays = [this](ValueId v, Place device) { return stays(v, device); },
                                       .counted = counted_ ? *counted_ - position_ : SIZE_MAX,
                                       .keep_causes = context_.keep_refusals});
  }

  /// The float32 elements of a half constant; those of the graph are made once per model.
  std::shared_ptr<const Tensor> upcast_value(ValueId v) {
    const Tensor* const half = facts_[index(v)].value.get();
    const UpcastForm form{half->count()};
    const Packing packing = Packing::of(form);
    std::shared_ptr<const void> upcast;
    if (graph_.value(v).is_constant()) {
      const auto value = static_cast<int32_t>(v);
      upcast = context_.packed->get(context_.graph, {&value, 1}, packing, {&half, 1}, *context_.pool, context_.run);
    }
    if (upcast == nullptr) {
      upcast = packed_unshared(packing, {&half, 1}, *context_.pool, context_.run);
      steps_.packed_unshared += packing.bytes;
    }
    const void* elements = upcast.get();
    return std::make_shared<const Tensor>(Tensor::share(DType::kFloat32, half->shape(), std::move(upcast), elements));
  }

  // ---- steps

  /// False where a step cannot be on a device that has to be there.
  bool add_step(size_t position) {
    context_.run.check();
    const NodeId id = graph_.order()[position];
    const Node& node = graph_.node(id);
    require(!node.outputs.empty(), "operator ", node.op.name(), " (", node.name, ") has no results");
    Step step;
    step.op = node.op;
    step.node = id;
    step.in_counts = node.input_counts;
    step.out_counts = node.output_counts;
    if (!places_.empty()) {
      step.place = places_[position - position_].place;
      step.cause = std::move(places_[position - position_].cause);
    }
    std::optional<KernelMatcher> tried;
    tried.emplace(node, facts_).set_counted(position == counted_);
    choose(step, node, *tried);
    if (position == counted_ && (step.kernel == nullptr || step.place.is_host())) return false;
    if (step.kernel == nullptr && !step.place.is_host()) {
      step.place = Place{};
      if (context_.keep_refusals) step.cause = "no kernel of the device takes its operands as they stand";
      choose(step, node, tried.emplace(node, facts_));
    }
    require(step.kernel != nullptr, ErrorCode::kUnsupported, "no kernel takes ", node.op.name(), " (", node.name, ")");
    KernelMatcher& matcher = *tried;
    try {
      prepare(step, matcher.args());
    } catch (Error& e) {
      e.add_context(text("preparing ", step.kernel->name, " for ", node.name));
      throw;
    }

    const std::vector<Fact>& in = matcher.in();
    std::vector<Fact>& out = matcher.out();
    const auto is_upcast = [&](ValueId v, const Fact& f) { return f.dtype != facts_[index(v)].dtype; };
    for (size_t i = 0; i < in.size(); ++i) {
      step.in.push_back(buffers_.get(node.inputs[i], in[i].layout, is_upcast(node.inputs[i], in[i]), in[i].place));
    }
    for (size_t i = 0; i < out.size(); ++i) {
      const bool view = step.kernel->view && i == 0;
      const bool upcast = is_upcast(node.outputs[i], out[i]);
      out[i].value = nullptr;
      const int made = buffers_.add(std::move(out[i]), node.outputs[i], view ? step.in.at(0) : -1);
      buffers_.set(node.outputs[i], upcast, made);
      step.out.push_back(made);
    }
    if (!step.kernel->view || step.out.size() > 1) {
      require(!step.kernel->view, ErrorCode::kUnsupported, "a view has one result");
    }
    if (position == counted_) {
      Fact rows(DType::kInt64, {1});
      rows.place = step.place;
      step.out.push_back(buffers_.add(std::move(rows), kNoValue));
      steps_.counted = CountedResults{.values = counted_values_, .rows = buffers_.brought(step.out.back())};
    }
    steps_.steps.push_back(std::move(step));
    return true;
  }

  /// Chooses the kernel of a node at the step's place; null if there is none.
  void choose(Step& step, const Node& node, KernelMatcher& matcher) {
    Layout common = Layout::kRowMajor;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const bool image = !matcher.port(i).weight && matcher.in()[i].shape.rank() == matcher.rank();
      if (image && buffers_.is_channels_last(node.inputs[i])) common = Layout::kChannelsLast;
    }
    const KernelDef* const nothing = &nothing_kernel();
    const bool computes = !without_elements(node, matcher.out());
    const auto choose_at = [&](Place place, Layout order) {
      step.refusals.clear();
      const std::span<const KernelDef* const> list =
          computes ? context_.selector->kernels(node.op.schema(), place) : std::span(&nothing, 1);
      step.kernel = matcher.choose(list, order, context_.selector->weighs_cost(),
                                   context_.keep_refusals ? &step.refusals : nullptr);
    };
    const auto choose_kernel = [&] {
      choose_at(step.place, common);
      if (step.kernel == nullptr && !step.place.is_host()) choose_at(step.place, other(common));
    };
    // A kernel for the types as they are, else one for float32, else the last resort. What stands in float32 stays so:
    // rounding it would change the results.
    const bool stands_upcast =
        std::any_of(node.inputs.begin(), node.inputs.end(), [&](ValueId v) { return buffers_.stands(v, true); });
    if (!computes) step.place = Place{};
    matcher.set_place(step.place);
    if (!stands_upcast) choose_kernel();
    if (stands_upcast || step.kernel == nullptr || step.kernel->rank == kLastResort) {
      const bool upcast = matcher.upcast(context_.run, [&](size_t i) { return upcast_value(node.inputs[i]); });
      if (upcast || stands_upcast) choose_kernel();
    }
  }

  void prepare(Step& step, const ArgFacts& args) {
    if (step.kernel->prepare == nullptr) return;
    size_t unshared = 0;
    PrepareContext context;
    context.pool = context_.pool;
    context.run = &context_.run;
    context.precision = context_.selector->precision();
    if (!step.place.is_host()) context.device = context_.selector->device(step.place).open.get();
    context.packed = [&](const Packing& packing, std::span<const int> operands) {
      std::vector<const Tensor*> constants;
      for (int i : operands) constants.push_back(args.all_in()[static_cast<size_t>(i)]->value.get());
      if (const std::optional<std::vector<int32_t>> values = constants_of(step, operands)) {
        if (auto shared =
                context_.packed->get(context_.graph, *values, packing, constants, *context_.pool, context_.run)) {
          return shared;
        }
      }
      unshared += packing.bytes;
      return packed_unshared(packing, constants, *context_.pool, context_.run);
    };
    step.prepared = step.kernel->prepared(step.op.attributes(), args, context);
    step.prepared.state_bytes += unshared;
  }

  /// A node's operands, if all of them are constants of the graph: what planning has computed may be another value for
  /// other shapes.
  std::optional<std::vector<int32_t>> constants_of(const Step& step, std::span<const int> operands) const {
    if (step.node == kNoNode) return std::nullopt;
    const Node& node = graph_.node(step.node);
    std::vector<int32_t> values;
    for (int i : operands) {
      const ValueId v = node.inputs[static_cast<size_t>(i)];
      if (!graph_.value(v).is_constant()) return std::nullopt;
      values.push_back(static_cast<int32_t>(v));
    }
    return values;
  }

  /// Values needed after the segment go to tensors of their own, row-major.
  void add_live_outs() {
    for (size_t p = position_; p < steps_.stop; ++p) {
      for (ValueId v : graph_.node(graph_.order()[p]).outputs) {
        if (!used_later(v)) continue;
        int l = buffers_.get_for_caller(v);
        if (const Slot& slot = steps_.buffers[static_cast<size_t>(l)].slot;
            slot.kind == Slot::Kind::kExternal && slot.external == v) {
          steps_.live_out.push_back({v, l});  // copied there
          continue;
        }
        SegmentBuffer* r = &steps_.buffers[static_cast<size_t>(owner_of(steps_, l))];
        if (steps_.buffers[static_cast<size_t>(l)].slot.kind == Slot::Kind::kConstant) {
          steps_.live_out.push_back({v, l});
          continue;
        }
        const bool same_size = r->fact.bytes() == steps_.buffers[static_cast<size_t>(l)].fact.bytes();
        if (r->slot.kind != Slot::Kind::kArena || !same_size) {
          l = buffers_.add_conversion(Relayout{Layout::kRowMajor}, LayoutRule::kRelayout, l,
                                      steps_.buffers[static_cast<size_t>(l)].fact);
          r = &steps_.buffers[static_cast<size_t>(l)];
        }
        r->slot = {.kind = Slot::Kind::kExternal, .offset = 0, .external = v};
        steps_.live_out.push_back({v, l});
      }
    }
  }

  const Graph& graph_;
  const GraphUses& uses_;
  const size_t position_;
  const PlanContext& context_;
  const bool counts_;
  const std::vector<Place> given_;  // by value: where what the segment gets stands; none without devices
  std::vector<Fact> facts_;
  std::vector<bool> needs_step_;   // by position
  std::vector<NodePlace> places_;  // by position; empty where there are no devices
  std::optional<size_t> counted_;  // position of the node with these results
  std::vector<ValueId> counted_values_;
  Steps steps_;
  SegmentBuffers buffers_;
};

}  // namespace

GraphUses::GraphUses(const Graph& graph) : last_use(graph.value_count(), kUnused) {
  for (size_t p = 0; p < graph.order().size(); ++p) {
    for (ValueId v : graph.node(graph.order()[p]).inputs) last_use[index(v)] = p;
  }
  for (ValueId v : graph.outputs()) last_use[index(v)] = graph.order().size();
}

bool plannable(const Graph& graph, const Node& node) {
  if (!node.regions.empty()) return false;
  return std::none_of(node.inputs.begin(), node.inputs.end(), [&](ValueId v) { return graph.fact(v).is_array; });
}

Steps plan_segment(const Graph& graph, const GraphUses& uses, size_t position, std::span<const Fact> facts,
                   const PlanContext& context) {
  if (!context.selector->devices().empty()) {
    std::optional<Steps> steps = SegmentPlanner(graph, uses, position, facts, context, true).plan();
    if (steps) return std::move(*steps);
  }
  return *SegmentPlanner(graph, uses, position, facts, context, false).plan();
}

}  // namespace coracle::internal
