// SPDX-License-Identifier: Apache-2.0
#include "quantize/input_sets.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/printable.h"
#include "quantize/error.h"

namespace coracle::internal::quantize {
namespace {

/// One of so many sets is held back to measure the answers with.
constexpr size_t kHeldBack = 5;

void require_finite(const InputValue& value, const std::string& input, const std::string& set) {
  const float* values = value.floats();
  if (values == nullptr) return;
  const float* const end = values + value.size();
  const float* const found = std::find_if(values, end, [](float v) { return !std::isfinite(v); });
  require(found == end, ErrorCode::kInvalidArgument, printable(set), ": the input '", printable(input),
          "' has a value at ", found - values, " that is not a finite number");
}

}  // namespace

InputSet ChosenSets::read(size_t index, const std::vector<coracle::TensorInfo>& inputs) const {
  InputSet set = all->read(numbers[index], inputs);
  for (size_t i = 0; i < inputs.size(); ++i) require_finite(set.values[i], inputs[i].name, set.name);
  return set;
}

ChosenSets ChosenSets::first(size_t most) const {
  return {all, {numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(std::min(most, numbers.size()))}};
}

Split split(const InputSets& sets) {
  Split s{{&sets, {}}, {&sets, {}}};
  for (size_t i = 0; i < sets.size(); ++i) {
    const bool held = i % kHeldBack == kHeldBack - 1 || (sets.size() < kHeldBack && i + 1 == sets.size());
    (held ? s.held_back : s.seen).numbers.push_back(i);
  }
  if (s.seen.numbers.empty()) s.seen = s.held_back;
  return s;
}

ChosenSets all_of(const InputSets& sets) {
  ChosenSets all{&sets, std::vector<size_t>(sets.size())};
  std::iota(all.numbers.begin(), all.numbers.end(), size_t{0});
  return all;
}

}  // namespace coracle::internal::quantize
