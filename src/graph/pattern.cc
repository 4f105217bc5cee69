// SPDX-License-Identifier: Apache-2.0
#include "graph/pattern.h"

#include <algorithm>

namespace coracle::internal {

bool Match::match(const Pattern& pattern, PatternSlot root, NodeId node) {
  const ValueId value = graph_.node(node).output(0);
  return value != kNoValue && match(pattern, root, value);
}

bool Match::match(const Pattern& pattern, PatternSlot root, ValueId value) {
  values_.assign(pattern.slots_.size(), kNoValue);
  return match_value(pattern, root, value, true);
}

bool Match::reads_others(PatternSlot slot) const {
  const std::vector<ValueId>& results = node(slot).outputs;
  return std::any_of(results.begin() + 1, results.end(), [&](ValueId v) { return uses(v) > 0; });
}

bool Match::match_value(const Pattern& pattern, PatternSlot slot, ValueId value, bool root) {
  const Pattern::Entry& entry = pattern.slots_[static_cast<size_t>(slot.id)];
  ValueId& bound = values_[static_cast<size_t>(slot.id)];
  if (bound != kNoValue) return bound == value;  // a slot used twice stands for one value
  const Value& v = graph_.value(value);
  if (entry.used_once && !root && uses_[index(value)] != 1) return false;
  const bool is_op = entry.kind == Pattern::Kind::kOp;
  if (entry.kind == Pattern::Kind::kConstant && !v.is_constant()) return false;
  if (is_op && (v.producer == kNoNode || v.output != 0)) return false;
  if (is_op && !entry.schemas.empty()) {
    const OpSchema* schema = &graph_.node(v.producer).op.schema();
    if (std::find(entry.schemas.begin(), entry.schemas.end(), schema) == entry.schemas.end()) return false;
  }
  if (entry.holds != nullptr && !entry.holds(graph_, value)) return false;
  if (!is_op) {
    bound = value;
    return true;
  }
  const Node& node = graph_.node(v.producer);
  const auto try_order = [&](bool swapped) {
    const std::vector<ValueId> saved = values_;
    values_[static_cast<size_t>(slot.id)] = value;
    for (size_t p = 0; p < entry.operands.size(); ++p) {
      const size_t port = swapped && p < 2 ? 1 - p : p;
      const ValueId operand = node.input(static_cast<int>(port));
      if (operand == kNoValue || !match_value(pattern, entry.operands[p], operand, false)) {
        values_ = saved;
        return false;
      }
    }
    return true;
  };
  return try_order(false) || (entry.either_order && try_order(true));
}

}  // namespace coracle::internal
