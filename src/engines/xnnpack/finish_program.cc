// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <utility>

#include "memory_plan.h"
#include "program.h"
#include "shared.h"

/// What makes a program that can be run of the steps that converters have put together.
namespace coracle_xnnpack {
namespace {

constexpr size_t kRoom = XNN_EXTRA_BYTES / sizeof(float);
using Elements = std::vector<float>;

/// Row-major elements in the order of a value, with the room behind them that XNNPACK reads.
Elements stored(const Value& value) {
  Value rows = value;
  rows.rows = true;
  StridedCopy order = whole_copy(rows, value);
  order.simplify();
  Elements elements(static_cast<size_t>(count_of(value.dims)) + kRoom);
  order.run(value.elements, elements.data(), nullptr);
  return elements;
}

/// The same, of elements that stay with the host, for all blocks that read them so.
std::shared_ptr<const Elements> shared_elements(const Value& value, bool& made) {
  using Key = std::pair<const float*, std::pair<Dims, bool>>;
  static auto& all = *new Shared<Key, const Elements>;  // for as long as the process: blocks may be freed at its end
  return all.get({value.elements, {value.dims, value.rows}}, made,
                 [&] { return std::make_unique<const Elements>(stored(value)); });
}

}  // namespace

void Program::finish() {
  drop_unread();
  join_clamps();
  plan_memory();
  store_constants();
  make_operators();
}

void Program::drop_unread() {
  std::vector<bool> needed(values_.size(), false);
  for (size_t v = 0; v < values_.size(); ++v) needed[v] = values_[v].output >= 0;
  std::vector<Step> read;
  for (size_t i = steps_.size(); i-- > 0;) {
    if (!needed[static_cast<size_t>(root(steps_[i].result()))]) continue;
    for (ValueNumber v : steps_[i].values) needed[static_cast<size_t>(root(v))] = true;
    read.push_back(std::move(steps_[i]));
  }
  std::reverse(read.begin(), read.end());
  steps_ = std::move(read);
}

/// What makes a value that nothing but a clamp reads can clamp itself.
void Program::join_clamps() {
  std::vector<int> readers(values_.size(), 0);
  std::vector<Step*> producers(values_.size(), nullptr);
  for (Step& step : steps_) {
    for (size_t i = 0; i + 1 < step.values.size(); ++i) ++readers[static_cast<size_t>(root(step.values[i]))];
    producers[static_cast<size_t>(root(step.result()))] = &step;
  }
  for (Step& clamp : steps_) {
    if (!clamp.recipe.clamps) continue;
    const auto operand = static_cast<size_t>(root(clamp.values[0]));
    Step* producer = producers[operand];
    if (readers[operand] != 1 || values_[operand].output >= 0 || producer == nullptr) continue;
    Recipe& made = producer->recipe;
    const float low = std::max(made.low, clamp.recipe.low);
    const float high = std::min(made.high, clamp.recipe.high);
    if (!made.bounded || !(low < high)) continue;
    made.low = low;
    made.high = high;
    producer->values.back() = clamp.result();
    producers[static_cast<size_t>(root(clamp.result()))] = producer;
    clamp.values.clear();
  }
  std::erase_if(steps_, [](const Step& step) { return step.values.empty(); });
}

void Program::plan_memory() {
  std::vector<MemoryRange> ranges;
  std::map<ValueNumber, size_t> range_of;
  for (size_t i = 0; i < steps_.size(); ++i) {
    for (ValueNumber v : steps_[i].values) {
      const Value& value = this->value(root(v));
      if (value.elements != nullptr || value.input >= 0 || value.output >= 0) continue;
      const auto [found, first] = range_of.emplace(root(v), ranges.size());
      const size_t bytes = static_cast<size_t>(count_of(value.dims)) * bytes_of(value.element) + XNN_EXTRA_BYTES;
      if (first) ranges.push_back({bytes, i, i});
      ranges[found->second].last = i;
    }
  }
  memory_ = place(ranges);
  places_.resize(values_.size());
  for (const auto& [v, range] : range_of) places_[static_cast<size_t>(v)].at = ranges[range].at;
}

void Program::store_constants() {
  for (const Step& step : steps_) {
    for (ValueNumber v : step.values) {
      const Value& value = this->value(root(v));
      Place& place = places_[static_cast<size_t>(root(v))];
      if (value.elements == nullptr || place.constant != nullptr) continue;
      bool made = true;
      constants_.push_back(value.owner == Value::Owner::kHost ? shared_elements(value, made)
                                                              : std::make_shared<const Elements>(stored(value)));
      if (made) bytes_ += constants_.back()->size() * sizeof(float);
      place.constant = constants_.back()->data();
    }
  }
}

void Program::make_operators() {
  for (Step& step : steps_) {
    if (step.copies()) continue;
    Recipe& recipe = step.recipe;
    bool made = true;
    if (recipe.packed) {
      recipe.packed->low = recipe.low;
      recipe.packed->high = recipe.high;
    }
    if (recipe.packed && recipe.shared) {
      step.op = shared_operator(*recipe.packed, made);
    } else if (recipe.packed) {
      step.op =
          std::make_shared<Operator>([packed = *recipe.packed](xnn_operator_t* op) { return create(packed, op); });
    } else {
      step.op = std::make_shared<Operator>([create = recipe.create, low = recipe.low,
                                            high = recipe.high](xnn_operator_t* op) { return create(low, high, op); });
    }
    if (recipe.packed && made) bytes_ += recipe.packed->bytes();
    try {
      step.op->prepare();
    } catch (const Refused& e) {
      throw Refused(step.name + ": " + e.what());
    }
  }
}

}  // namespace coracle_xnnpack
