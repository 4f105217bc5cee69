// SPDX-License-Identifier: Apache-2.0
#include "base/fact.h"

namespace coracle {

Fact Fact::constant(Tensor tensor) {
  Fact fact(tensor.dtype(), tensor.shape());
  if (!tensor.lod().empty()) fact.lod = std::make_shared<const Lod>(tensor.lod());
  fact.value = std::make_shared<const Tensor>(std::move(tensor));
  return fact;
}

void append_text(std::string& to, const Fact& fact) {
  append_text(to, fact.dtype);
  append_text(to, fact.shape);
  if (fact.layout == Layout::kChannelsLast) to.append(":nhwc");
  if (fact.is_array) to.append(":array");
}

bool replaceable(const Fact& a, const Fact& b) {
  return a.dtype == b.dtype && a.is_array == b.is_array && compatible(a.shape, b.shape);
}

bool layouts_agree(const Shape& shape) {
  if (shape.rank() < 3) return true;
  return shape[1] == 1 || shape.count(2, shape.rank()) == 1 || shape.count() == 0;
}

}  // namespace coracle
