// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <tuple>

#include "graph/patch.h"
#include "passes/rounded_operand.h"

namespace coracle::internal {

/// int8 tensors made so far, by what they are made of.
using Int8Values = std::map<std::tuple<ValueId, float, QuantizationRounding>, ValueId>;

/// Rounded values that a patch reads, as int8. Other patches of the same pass use what it makes.
class Int8Operands {
 public:
  Int8Operands(Patch& patch, std::shared_ptr<Int8Values> made) : patch_(patch), made_(std::move(made)) {}

  /// With what moves it afterwards.
  ValueId value_of(const Rounded& x);
  /// Replaces a value by one of the patch, of which nothing is kept unless it is allowed.
  bool replace(ValueId old, ValueId by);

 private:
  ValueId rounded(const Rounded& x);

  Patch& patch_;
  std::shared_ptr<Int8Values> made_;
  Int8Values own_;
};

}  // namespace coracle::internal
