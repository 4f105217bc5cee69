// SPDX-License-Identifier: Apache-2.0
#include "operator.h"

#include <string>

#include "node.h"
#include "program.h"
#include "shared.h"

namespace coracle_xnnpack {

OwnedOperator Operator::make() const {
  xnn_operator_t made = nullptr;
  const xnn_status status = create_(&made);
  require(status == xnn_status_success, std::string("XNNPACK refuses it with ") + name_of(status));
  return OwnedOperator(made);
}

void Operator::prepare() {
  const std::lock_guard lock(mutex_);
  if (made_ > 0) return;
  idle_.push_back(make());
  made_ = 1;
}

OwnedOperator Operator::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      OwnedOperator one = std::move(idle_.back());
      idle_.pop_back();
      return one;
    }
  }
  OwnedOperator one = make();  // while others go on
  const std::lock_guard lock(mutex_);
  idle_.reserve(made_ + 1);
  ++made_;
  return one;
}

void Operator::put(OwnedOperator one) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(one));
}

void Operator::forget() {
  const std::lock_guard lock(mutex_);
  --made_;
}

std::shared_ptr<Operator> shared_operator(const Packed& packed, bool& made) {
  static auto& all = *new Shared<Packed, Operator>;  // for as long as the process: blocks may be freed at its end
  return all.get(packed, made, [&] {
    return std::make_unique<Operator>([packed](xnn_operator_t* op) { return create(packed, op); });
  });
}

}  // namespace coracle_xnnpack
