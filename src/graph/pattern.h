// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <initializer_list>
#include <type_traits>
#include <utility>
#include <vector>

#include "graph/graph.h"

namespace coracle::internal {

/// A place in a pattern that stands for a value (and, for operators, the node that makes it).
struct PatternSlot {
  int id = -1;
};

/// A slot whose operator is known to be a T.
template <class T>
struct OpSlot : PatternSlot {};

/// A tree of typed operators to look for. Slots are made bottom-up; the last operator is usually the root.
class Pattern {
 public:
  /// Any value.
  PatternSlot any() { return add({.kind = Kind::kAny}); }
  /// A constant.
  PatternSlot constant() { return add({.kind = Kind::kConstant}); }
  /// Result 0 of a T whose first operands (port by port, one value each) match `operands`. Ports behind them are free.
  template <class T>
  OpSlot<T> op(std::initializer_list<PatternSlot> operands) {
    return {add({.kind = Kind::kOp, .schemas = {&kOpSchema<T>}, .operands = operands})};
  }
  /// The same with the first two operands in either order.
  template <class T>
  OpSlot<T> either_order(PatternSlot a, PatternSlot b) {
    return {add({.kind = Kind::kOp, .schemas = {&kOpSchema<T>}, .operands = {a, b}, .either_order = true})};
  }
  /// Result 0 of one of several operators.
  PatternSlot one_of(std::vector<const OpSchema*> schemas, std::initializer_list<PatternSlot> operands) {
    return add({.kind = Kind::kOp, .schemas = std::move(schemas), .operands = operands});
  }
  /// The same of any operator.
  PatternSlot any_op(std::initializer_list<PatternSlot> operands) { return one_of({}, operands); }
  /// Requires that the slot's value has no use but the one in this pattern.
  template <class Slot>
  Slot used_once(Slot slot) {
    slots_[static_cast<size_t>(slot.id)].used_once = true;
    return slot;
  }
  /// Requires more of the slot's value: `holds` takes its Fact, the Node that makes it, or (const Graph&, ValueId).
  template <class Slot, class F>
  Slot where(Slot slot, F holds) {
    std::function<bool(const Graph&, ValueId)>& all = slots_[static_cast<size_t>(slot.id)].holds;
    if constexpr (std::is_invocable_v<F, const Fact&>) {
      all = [holds](const Graph& graph, ValueId v) { return holds(graph.fact(v)); };
    } else if constexpr (std::is_invocable_v<F, const Node&>) {
      all = [holds](const Graph& graph, ValueId v) { return holds(graph.node(graph.value(v).producer)); };
    } else {
      all = std::move(holds);
    }
    return slot;
  }

 private:
  friend class Match;
  enum class Kind : uint8_t { kAny, kConstant, kOp };
  struct Entry {
    Kind kind = Kind::kAny;
    std::vector<const OpSchema*> schemas = {};  // none: any
    std::vector<PatternSlot> operands = {};
    bool either_order = false;
    bool used_once = false;
    std::function<bool(const Graph&, ValueId)> holds = nullptr;
  };
  PatternSlot add(Entry entry) {
    slots_.push_back(std::move(entry));
    return {static_cast<int>(slots_.size()) - 1};
  }
  std::vector<Entry> slots_;
};

/// What each slot of a pattern stands for at one place of a graph.
class Match {
 public:
  Match(const Graph& graph, const std::vector<int>& uses) : graph_(graph), uses_(uses) {}

  /// Tries to match `pattern` with `root` at result 0 of `node`.
  bool match(const Pattern& pattern, PatternSlot root, NodeId node);
  /// The same at a value.
  bool match(const Pattern& pattern, PatternSlot root, ValueId value);

  ValueId operator[](PatternSlot slot) const { return values_[static_cast<size_t>(slot.id)]; }
  /// The attributes of a matched operator.
  template <class T>
  const T& operator[](OpSlot<T> slot) const {
    return *node(slot).op.template as<T>();
  }
  template <class T>
  ValueId output(OpSlot<T> slot) const {
    return values_[static_cast<size_t>(slot.id)];
  }
  NodeId node_id(PatternSlot slot) const { return graph_.value(values_[static_cast<size_t>(slot.id)]).producer; }
  const Node& node(PatternSlot slot) const { return graph_.node(node_id(slot)); }
  const Fact& fact(PatternSlot slot) const { return graph_.fact(values_[static_cast<size_t>(slot.id)]); }
  const Fact& fact(ValueId value) const { return graph_.fact(value); }
  /// The elements of a matched constant.
  const Tensor& tensor(PatternSlot slot) const { return *fact(slot).value; }
  const Graph& graph() const { return graph_; }
  int uses(ValueId value) const { return uses_[index(value)]; }
  /// True if another result than the first of a matched operator is used.
  bool reads_others(PatternSlot slot) const;

 private:
  bool match_value(const Pattern& pattern, PatternSlot slot, ValueId value, bool root);

  const Graph& graph_;
  const std::vector<int>& uses_;
  std::vector<ValueId> values_;
};

}  // namespace coracle::internal
