// SPDX-License-Identifier: Apache-2.0
#include "graph/operator_set.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/printable.h"

namespace coracle::internal {
namespace {

/// The operators of the process.
struct Registered {
  std::mutex mutex;
  CustomOperators operators;
};

Registered& registered() {
  static auto* const kRegistered = new Registered;  // for whoever ends after the end of main
  return *kRegistered;
}

auto position_of(std::string_view name, const CustomOperators& operators) {
  return std::find_if(operators.begin(), operators.end(), [&](const auto& op) { return op->name == name; });
}

void check_free(std::string_view name, const CustomOperators& taken) {
  require(find_op(name) == nullptr && find_legacy_op(name) == nullptr, ErrorCode::kInvalidArgument, "the operator ",
          in_quotes(name), " is one of Coracle's: give yours another name");
  require(position_of(name, taken) == taken.end(), ErrorCode::kInvalidArgument, "there is an operator ",
          in_quotes(name), " already: unregister it first, or give yours another name");
}

}  // namespace

void register_operator(std::shared_ptr<const CustomOperator> op) {
  Registered& all = registered();
  const std::lock_guard lock(all.mutex);
  check_free(op->name, all.operators);
  all.operators.push_back(std::move(op));
}

size_t registered_operators() {
  Registered& all = registered();
  const std::lock_guard lock(all.mutex);
  return all.operators.size();
}

bool unregister_operator(std::string_view name) {
  std::shared_ptr<const CustomOperator> last;  // its user is told of its end without the lock
  Registered& all = registered();
  const std::lock_guard lock(all.mutex);
  const auto it = position_of(name, all.operators);
  if (it == all.operators.end()) return false;
  last = *it;
  all.operators.erase(it);
  return true;
}

OperatorSet::OperatorSet(CustomOperators own) {
  for (std::shared_ptr<const CustomOperator>& op : own) {
    check_free(op->name, custom_);
    custom_.push_back(std::move(op));
  }
  Registered& all = registered();
  const std::lock_guard lock(all.mutex);
  custom_.insert(custom_.end(), all.operators.begin(), all.operators.end());
}

const OpSchema* OperatorSet::find_custom(std::string_view name) const {
  const auto it = position_of(name, custom_);
  return it == custom_.end() ? nullptr : it->get();
}

const OpSchema* OperatorSet::find(std::string_view name) const {
  const OpSchema* schema = find_op(name);
  return schema != nullptr ? schema : find_custom(name);
}

const OpSchema* OperatorSet::find_legacy(std::string_view type) const {
  const OpSchema* schema = find_legacy_op(type);
  return schema != nullptr ? schema : find_custom(type);
}

}  // namespace coracle::internal
