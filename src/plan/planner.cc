// SPDX-License-Identifier: Apache-2.0
#include "plan/planner.h"

#include <algorithm>
#include <array>

#include "base/deadline.h"
#include "ops/cast.h"
#include "ops/relayout.h"
#include "plan/placement.h"
#include "plan/reference_kernel.h"
#include "plan/strided.h"
#include "plan/strips.h"
#include "plan/widening.h"

namespace coracle {
namespace {

bool all_known(std::span<const Fact> facts) {
  return std::all_of(facts.begin(), facts.end(), [](const Fact& f) { return f.known() && !f.is_array; });
}

/// Plans one segment; see plan_segment.
class SegmentPlanner {
 public:
  SegmentPlanner(const Graph& graph, const GraphUses& uses, size_t position, std::span<const Fact> facts,
                 const PlanContext& context)
      : graph_(graph),
        uses_(uses),
        position_(position),
        context_(context),
        facts_(facts.begin(), facts.end()),
        local_of_(graph.value_count(), {-1, -1, -1, -1}) {}

  Steps plan() {
    infer();
    find_needed();
    for (size_t p = position_; p < steps_.stop; ++p) {
      if (needs_step_[p - position_]) add_step(graph_.order()[p]);
    }
    add_live_outs();
    if (context_.selector->allows(kStripsName)) join_strips(steps_, context_.pool->threads());
    if (context_.selector->allows(kStridedName)) {
      use_strided(steps_, [&](Step& step, const ArgFacts& args) { prepare(step, args); });
    }
    place_in_memory(steps_);
    Deadline::check_current();  // what was prepared on threads may be unfinished
    return std::move(steps_);
  }

 private:
  // ---- shapes

  void infer() {
    const std::vector<NodeId>& order = graph_.order();
    std::vector<const Fact*> args;
    size_t p = position_;
    for (; p < order.size(); ++p) {
      const Node& node = graph_.node(order[p]);
      if (!plannable(graph_, node)) break;
      args.clear();
      for (ValueId v : node.inputs) args.push_back(&facts_[index(v)]);
      if (std::any_of(args.begin(), args.end(), [](const Fact* f) { return f->is_array; })) break;
      std::vector<Fact> results = infer_node(node, args);
      if (!all_known(results)) break;
      for (size_t i = 0; i < results.size(); ++i) facts_[index(node.outputs[i])] = std::move(results[i]);
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
      bool runs = !node.op.row().pure;
      for (ValueId v : node.outputs) {
        if ((needed[index(v)] || used_later(v)) && facts_[index(v)].value == nullptr) runs = true;
      }
      if (!runs) continue;
      needs_step_[p - position_] = true;
      for (ValueId v : node.inputs) needed[index(v)] = true;
    }
  }

  // ---- locals

  int add_local(Fact fact, ValueId value, int alias_of = -1) {
    steps_.locals.push_back(
        {.fact = std::move(fact), .value = value, .alias_of = alias_of, .slot = {}, .view = nullptr});
    return static_cast<int>(steps_.locals.size()) - 1;
  }

  /// `wide`: a half value in float32.
  int& local_of(ValueId v, Layout layout, bool wide) {
    return local_of_[index(v)][static_cast<size_t>(layout) + (wide ? 2 : 0)];
  }
  static Layout other(Layout layout) { return layout == Layout::kRowMajor ? Layout::kChannelsLast : Layout::kRowMajor; }

  /// The local of a value in a layout and width; adds relayout and cast steps where it exists in others only.
  int local(ValueId v, Layout layout, bool wide = false) {
    int& found = local_of(v, layout, wide);
    if (found >= 0) return found;
    if (const int from = local_of(v, other(layout), wide); from >= 0) {
      Fact fact = steps_.locals[static_cast<size_t>(from)].fact;
      fact.layout = layout;
      return found = layouts_agree(fact.shape) ? add_local(std::move(fact), v, from)
                                               : add_conversion(Relayout{layout}, LayoutRule::kRelayout, from, fact);
    }
    const bool other_width = has_local(v, !wide);
    if (other_width || (wide && facts_[index(v)].value == nullptr)) {
      // Cast where it stands: in either layout if there is a kernel for it.
      const bool stands = local_of(v, layout, !wide) >= 0;
      const Layout at = !has_row(kOpRow<Cast>, LayoutRule::kSame) ? Layout::kRowMajor : stands ? layout : other(layout);
      const int from = local(v, other_width ? at : Layout::kRowMajor, !wide);
      Fact fact = steps_.locals[static_cast<size_t>(from)].fact;
      fact.dtype = wide ? DType::kFloat32 : facts_[index(v)].dtype;
      const LayoutRule rule = has_row(kOpRow<Cast>, LayoutRule::kSame) ? LayoutRule::kSame : LayoutRule::kRowMajor;
      local_of(v, fact.layout, wide) = add_conversion(Cast{fact.dtype}, rule, from, fact);
      return local(v, layout, wide);
    }
    if (layout != Layout::kRowMajor) {
      local(v, Layout::kRowMajor, wide);
      return local(v, layout, wide);
    }
    Fact fact = facts_[index(v)];
    fact.layout = Layout::kRowMajor;
    if (wide) {
      fact.dtype = DType::kFloat32;
      fact.value = wide_value(v);
    }
    const bool constant = fact.value != nullptr;
    found = add_local(std::move(fact), v);
    Slot& slot = steps_.locals.back().slot;
    slot.kind = constant ? Slot::Kind::kConstant : Slot::Kind::kExternal;
    slot.external = v;
    return found;
  }

  /// The float32 elements of a half constant; those of the graph are made once per model.
  std::shared_ptr<const Tensor> wide_value(ValueId v) {
    const Tensor* const half = facts_[index(v)].value.get();
    const WideForm form{half->count()};
    const Packing packing = Packing::of(form);
    std::shared_ptr<const void> wide;
    if (graph_.value(v).is_constant()) {
      wide =
          context_.packed->get(text(context_.graph_key, "/", static_cast<int>(v)), packing, {&half, 1}, *context_.pool);
    } else {
      wide = packed_alone(packing, {&half, 1}, *context_.pool);
    }
    const void* elements = wide.get();
    return std::make_shared<const Tensor>(Tensor::share(DType::kFloat32, half->shape(), std::move(wide), elements));
  }

  /// A step that makes `to` of local `from`: a relayout or a cast.
  int add_conversion(Op op, LayoutRule rule, int from, Fact to) {
    to.value = nullptr;
    Step step;
    step.op = std::move(op);
    step.in = {from};
    step.in_counts = {1};
    step.out_counts = {1};
    const ValueId value = steps_.locals[static_cast<size_t>(from)].value;
    const int out = add_local(std::move(to), value);
    step.out = {out};
    const Fact* in_fact = &steps_.locals[static_cast<size_t>(from)].fact;
    const Fact* out_fact = &steps_.locals[static_cast<size_t>(out)].fact;
    const ArgFacts args({&in_fact, 1}, step.in_counts, {&out_fact, 1}, step.out_counts);
    choose(step, args, rule);
    prepare(step, args);
    steps_.steps.push_back(std::move(step));
    return out;
  }

  bool has_row(const OpRow& op, LayoutRule rule) const {
    const auto rows = context_.selector->rows(op);
    return std::any_of(rows.begin(), rows.end(), [&](const Kernel* k) { return k->layout == rule; });
  }

  /// True if the value stands in one of the layouts.
  bool has_local(ValueId v, bool wide) {
    return local_of(v, Layout::kRowMajor, wide) >= 0 || local_of(v, Layout::kChannelsLast, wide) >= 0;
  }

  bool is_channels_last(ValueId v) {
    const bool stands = local_of(v, Layout::kChannelsLast, false) >= 0 || local_of(v, Layout::kChannelsLast, true) >= 0;
    return stands && !layouts_agree(facts_[index(v)].shape);
  }

  // ---- kernels

  void choose(Step& step, const ArgFacts& args, LayoutRule rule) {
    for (const Kernel* kernel : context_.selector->rows(step.op.row())) {
      if (kernel->layout != rule) continue;
      const Misfit misfit = kernel->fits == nullptr ? nullptr : kernel->fits(step.op.attributes(), args);
      if (misfit == nullptr) {
        step.kernel = kernel;
        return;
      }
    }
    fail(ErrorCode::kUnsupported, "no kernel for ", step.op.name());
  }

  void add_step(NodeId id) {
    Deadline::check_current();
    const Node& node = graph_.node(id);
    const std::span<const Port> ports = node.op.row().inputs;
    require(!node.outputs.empty(), "operator ", node.op.name(), " (", node.name, ") has no results");
    const int rank = facts_[index(node.outputs[0])].shape.rank();

    std::vector<const Port*> port_of;
    for (size_t p = 0; p < node.input_counts.size(); ++p) {
      port_of.insert(port_of.end(), static_cast<size_t>(node.input_counts[p]), &ports[p]);
    }
    Layout common = Layout::kRowMajor;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const Fact& f = facts_[index(node.inputs[i])];
      if (!port_of[i]->weight && f.shape.rank() == rank && is_channels_last(node.inputs[i])) {
        common = Layout::kChannelsLast;
      }
    }

    Step step;
    step.op = node.op;
    step.node = id;
    step.in_counts = node.input_counts;
    step.out_counts = node.output_counts;
    std::vector<Fact> in(node.inputs.size());
    std::vector<Fact> out(node.outputs.size());
    for (size_t i = 0; i < in.size(); ++i) in[i] = facts_[index(node.inputs[i])];
    for (size_t i = 0; i < out.size(); ++i) out[i] = facts_[index(node.outputs[i])];
    std::vector<const Fact*> in_facts;
    std::vector<const Fact*> out_facts;
    for (const Fact& f : in) in_facts.push_back(&f);
    for (const Fact& f : out) out_facts.push_back(&f);
    const ArgFacts args(in_facts, node.input_counts, out_facts, node.output_counts);

    const Kernel* const nothing = &nothing_kernel();
    const std::span<const Kernel* const> rows =
        without_elements(node, out) ? std::span(&nothing, 1) : context_.selector->rows(node.op.row());
    const auto choose_row = [&] {
      step.kernel = nullptr;
      step.refusals.clear();
      for (const Kernel* kernel : rows) {
        if (kernel->sized) continue;
        for (size_t i = 0; i < in.size(); ++i) {
          in[i].layout = layout_of(kernel->layout, port_of[i]->weight, in[i].shape, rank, common);
        }
        for (Fact& f : out) f.layout = layout_of(kernel->layout, false, f.shape, rank, common);
        const bool types = takes(kernel->types, node.op.row(), node.input_counts, args);
        const Misfit misfit = types && kernel->fits != nullptr ? kernel->fits(node.op.attributes(), args) : nullptr;
        if (types && misfit == nullptr) {
          step.kernel = kernel;
          return;
        }
        if (context_.keep_refusals) step.refusals.push_back({kernel, types ? misfit : text_of(kernel->types)});
      }
    };
    // A row for the types as they are, else one for wider ones, else the last resort. What stands in float32 stays so:
    // rounding it would change the results.
    const bool stands_wide =
        std::any_of(node.inputs.begin(), node.inputs.end(), [&](ValueId v) { return has_local(v, true); });
    if (!stands_wide) choose_row();
    if (stands_wide || step.kernel == nullptr || step.kernel->rank == kLastResort) {
      const bool widened = widen(node, in, out, [&](size_t i) { return wide_value(node.inputs[i]); });
      if (widened || stands_wide) choose_row();
    }
    require(step.kernel != nullptr, ErrorCode::kUnsupported, "no kernel takes ", node.op.name(), " (", node.name, ")");
    try {
      prepare(step, args);
    } catch (Error& e) {
      e.add_context(text("preparing ", step.kernel->name, " for ", node.name));
      throw;
    }

    const auto is_wide = [&](ValueId v, const Fact& f) { return f.dtype != facts_[index(v)].dtype; };
    for (size_t i = 0; i < in.size(); ++i) {
      step.in.push_back(local(node.inputs[i], in[i].layout, is_wide(node.inputs[i], in[i])));
    }
    for (size_t i = 0; i < out.size(); ++i) {
      const bool view = step.kernel->view && i == 0;
      const Layout layout = out[i].layout;
      const bool wide = is_wide(node.outputs[i], out[i]);
      out[i].value = nullptr;
      const int made = add_local(std::move(out[i]), node.outputs[i], view ? step.in.at(0) : -1);
      local_of(node.outputs[i], layout, wide) = made;
      step.out.push_back(made);
    }
    if (!step.kernel->view || step.out.size() > 1) {
      require(!step.kernel->view, ErrorCode::kUnsupported, "a view has one result");
    }
    steps_.steps.push_back(std::move(step));
  }

  void prepare(Step& step, const ArgFacts& args) {
    if (step.kernel->prepare == nullptr) return;
    size_t unshared = 0;
    PrepareContext context;
    context.pool = context_.pool;
    context.packed = [&](const Packing& packing, std::span<const int> operands) {
      std::vector<const Tensor*> constants;
      for (int i : operands) constants.push_back(args.all_in()[static_cast<size_t>(i)]->value.get());
      if (const std::optional<std::string> names = constants_of(step, operands)) {
        return context_.packed->get(*names, packing, constants, *context_.pool);
      }
      unshared += packing.bytes;
      return packed_alone(packing, constants, *context_.pool);
    };
    step.prepared = step.kernel->prepare(step.op.attributes(), args, context);
    step.prepared.state_bytes += unshared;
  }

  /// What names a node's operands within the model, if all of them are constants of the graph: what planning has
  /// computed may be another value for other shapes.
  std::optional<std::string> constants_of(const Step& step, std::span<const int> operands) const {
    if (step.node == kNoNode) return std::nullopt;
    const Node& node = graph_.node(step.node);
    std::string names = context_.graph_key;
    for (int i : operands) {
      const ValueId v = node.inputs[static_cast<size_t>(i)];
      if (!graph_.value(v).is_constant()) return std::nullopt;
      append_text(names, "/");
      append_text(names, static_cast<int>(v));
    }
    return names;
  }

  /// Values needed after the segment go to tensors of their own, row-major.
  void add_live_outs() {
    for (size_t p = position_; p < steps_.stop; ++p) {
      for (ValueId v : graph_.node(graph_.order()[p]).outputs) {
        if (!used_later(v)) continue;
        int l = local(v, Layout::kRowMajor);
        Local* r = &steps_.locals[static_cast<size_t>(owner_of(steps_, l))];
        if (steps_.locals[static_cast<size_t>(l)].slot.kind == Slot::Kind::kConstant) {
          steps_.live_out.push_back({v, l});
          continue;
        }
        const bool same_size = r->fact.bytes() == steps_.locals[static_cast<size_t>(l)].fact.bytes();
        if (r->slot.kind != Slot::Kind::kArena || !same_size) {
          l = add_conversion(Relayout{Layout::kRowMajor}, LayoutRule::kRelayout, l,
                             steps_.locals[static_cast<size_t>(l)].fact);
          r = &steps_.locals[static_cast<size_t>(l)];
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
  std::vector<Fact> facts_;
  std::vector<std::array<int, 4>> local_of_;  // by layout and width
  std::vector<bool> needs_step_;
  Steps steps_;
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
  return SegmentPlanner(graph, uses, position, facts, context).plan();
}

}  // namespace coracle
