// SPDX-License-Identifier: Apache-2.0
#include "model/program_scope.h"

#include <algorithm>

#include "base/counted.h"
#include "base/error.h"
#include "base/printable.h"

namespace coracle::internal {
namespace {

/// Of the tree of blocks; loops and branches that are imported nest less deep (kMaxRegionDepth).
constexpr int kMaxBlockDepth = 32;

}  // namespace

using programdesc::Block;
using programdesc::Operator;
using programdesc::Slot;
using programdesc::Variable;

ProgramBlocks::ProgramBlocks(const programdesc::Program& program, const OperatorSet& operators)
    : program_(program), operators_(operators) {
  check_tree();
  declared_.resize(program.blocks.size());
  outer_writes_.resize(program.blocks.size());
  for (size_t b = 0; b < program.blocks.size(); ++b) {
    for (const Variable& v : program.blocks[b].variables) declared_[b].emplace(v.name, &v);
    for (const Operator& op : program.blocks[b].operators) {
      for (const Slot& slot : op.inputs) read_.insert(slot.variables.begin(), slot.variables.end());
      for (const programdesc::VariableAttribute& a : op.variable_attributes) {
        read_.insert(a.variables.begin(), a.variables.end());
      }
    }
  }
  // Blocks below have greater numbers.
  for (size_t b = program.blocks.size(); b-- > 1;) {
    collect_outer_writes(b);
    if (program.blocks[b].parent == 0) written_inside_.insert(outer_writes_[b].begin(), outer_writes_[b].end());
  }
}

void ProgramBlocks::check_tree() const {
  std::vector<bool> used(program_.blocks.size(), false);
  std::vector<int> depth(program_.blocks.size(), 0);
  for (size_t b = 0; b < program_.blocks.size(); ++b) {
    require(b == 0 || program_.blocks[b].parent < static_cast<int64_t>(b), "the parent of block ", b, " is block ",
            program_.blocks[b].parent);
    // What a variable's name means is looked for through all blocks around.
    if (b > 0 && program_.blocks[b].parent >= 0) depth[b] = depth[static_cast<size_t>(program_.blocks[b].parent)] + 1;
    require(depth[b] <= kMaxBlockDepth, ErrorCode::kUnsupported, "block ", b, " is nested deeper than ",
            counted(kMaxBlockDepth, "level"));
    for (const Operator& op : program_.blocks[b].operators) {
      if (!op.sub_block) continue;
      const int64_t sub = *op.sub_block;
      require(sub > static_cast<int64_t>(b) && sub < static_cast<int64_t>(program_.blocks.size()), "operator ",
              in_quotes(op.type), " of block ", b, " has the sub-block ", sub, " of ", program_.blocks.size());
      const auto s = static_cast<size_t>(sub);
      require(!used[s], "block ", sub, " is the sub-block of two operators");
      require(program_.blocks[s].parent == static_cast<int64_t>(b), "block ", sub, " is used in block ", b,
              ", but its parent is block ", program_.blocks[s].parent);
      used[s] = true;
    }
  }
}

const Variable* ProgramBlocks::find(size_t block, std::string_view name) const {
  for (;;) {
    const auto it = declared_[block].find(name);
    if (it != declared_[block].end()) return it->second;
    const int64_t parent = program_.blocks[block].parent;
    if (block == 0 || parent < 0) return nullptr;
    block = static_cast<size_t>(parent);
  }
}

void ProgramBlocks::collect_outer_writes(size_t block) {
  std::vector<std::string_view>& writes = outer_writes_[block];
  std::unordered_set<std::string_view> seen;
  const auto add = [&](std::string_view name) {
    if (declares(block, name) || find(block, name) == nullptr) return;
    if (seen.insert(name).second) writes.push_back(name);
  };
  for (const Operator& op : program_.blocks[block].operators) {
    if (op.sub_block) {
      for (std::string_view name : outer_writes_[static_cast<size_t>(*op.sub_block)]) add(name);
      continue;
    }
    for (const Slot& slot : op.outputs) {
      for (std::string_view name : slot.variables) add(name);
    }
  }
}

ValueId ProgramScope::find(std::string_view name) {
  const auto it = names_.find(name);
  if (it == names_.end()) {
    if (outer_ == nullptr) return kNoValue;
    const ValueId value = outer_->find(name);
    return value == kNoValue ? kNoValue : capture(value);
  }
  if (it->second.make) {
    const std::function<void()> make = std::move(it->second.make);
    it->second.make = nullptr;  // the owner stays until the function binds the name
    make();
    return names_[name].value;
  }
  return it->second.value;
}

void ProgramScope::bind(std::string_view name, ValueId value) {
  names_[name] = {.value = value, .make = nullptr, .owner = nullptr};
  if (graph_.value(value).name.empty()) graph_.set_name(value, std::string(name));
}

void ProgramScope::bind_later(std::string_view name, const void* owner, std::function<void()> make) {
  names_[name] = {.value = kNoValue, .make = std::move(make), .owner = owner};
}

const void* ProgramScope::pending_owner(std::string_view name) const {
  const auto it = names_.find(name);
  return it == names_.end() ? nullptr : it->second.owner;
}

ValueId ProgramScope::capture(ValueId outer) {
  const auto [it, is_new] = inner_of_.try_emplace(static_cast<int32_t>(outer), kNoValue);
  if (!is_new) return it->second;
  const Value value = outer_->graph().value(outer);
  if (value.is_constant()) return it->second = graph_.add_constant(*value.fact.value, value.name);
  Fact fact = blind_ ? joined(value.fact, Fact::unknown()) : value.fact;
  fact.value = nullptr;  // what is known of the value comes with the facts of the operator's operands
  captured_.push_back(outer);
  return it->second = graph_.add_input(value.name, std::move(fact));
}

}  // namespace coracle::internal
