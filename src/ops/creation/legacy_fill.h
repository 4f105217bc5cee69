// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "graph/lowering.h"

namespace coracle::internal {

/// A constant whose shape, type and elements are attributes.
struct LegacyFill {
  static constexpr const char* kName = "legacy_fill";
  static constexpr const char* kLegacy[] = {"fill"};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static void lower(Lowering& l) {
    const Shape shape(l.attribute<Ints>("shape"));
    const auto values = l.attribute<Floats>("value");
    require(shape.known() && shape.count() == static_cast<int64_t>(values.size()), "shape is ", shape,
            ", but there are ", values.size(), " elements");
    Tensor t = Tensor::make(l.attribute<DType>("dtype", DType::kFloat32), shape);
    t.assign(std::span<const double>(values));
    l.bind("Out", l.constant(std::move(t)));
  }
  friend bool operator==(const LegacyFill&, const LegacyFill&) = default;
};

inline constexpr const OpSchema* legacy_fill_op = &kOpSchema<LegacyFill>;

}  // namespace coracle::internal
