// SPDX-License-Identifier: Apache-2.0
#include "base/fact.h"

namespace coracle::internal {

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
  if (!a.type_known() || !b.type_known()) return true;
  return a.dtype == b.dtype && a.is_array == b.is_array && compatible(a.shape, b.shape);
}

Fact joined(const Fact& a, const Fact& b) {
  if (a.dtype != b.dtype || a.is_array != b.is_array) {
    Fact fact = Fact::unknown();
    fact.is_array = a.is_array && b.is_array;
    return fact;
  }
  Fact fact(a.dtype, joined(a.shape, b.shape));
  fact.is_array = a.is_array;
  return fact;
}

bool same_type(const Fact& a, const Fact& b) {
  return a.dtype == b.dtype && a.is_array == b.is_array && a.shape == b.shape;
}

bool layouts_agree(const Shape& shape) {
  if (shape.rank() < 3) return true;
  return shape[1] == 1 || shape.count() == 0 || shape.count(2, shape.rank()) == 1;
}

}  // namespace coracle::internal
