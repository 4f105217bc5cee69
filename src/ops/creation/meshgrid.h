// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "graph/op.h"

namespace coracle::internal {

/// For n vectors, n tensors of n dimensions: the i-th varies along dimension i only, as vector i does.
struct Meshgrid {
  static constexpr const char* kName = "meshgrid";
  static constexpr const char* kLegacy[] = {"meshgrid"};
  static constexpr Port kInputs[] = {list_in("inputs", "X")};
  static constexpr Port kOutputs[] = {list_out("out", "Out")};
  friend bool operator==(const Meshgrid&, const Meshgrid&) = default;
};

inline void infer(const Meshgrid&, InferArgs& a) {
  Shape shape;
  for (int i = 0; i < a.count(0); ++i) {
    const Shape& x = a.shape(0, i);
    require(!x.rank_known() || x.rank() <= 1, "operand ", i, " has shape ", x, ", expected a vector");
    shape.push_back(!x.rank_known() ? Shape::kUnknown : (x.is_scalar() ? 1 : x[0]));
  }
  for (int i = 0; i < a.out_count(0); ++i) a.set(0, a.dtype(0, std::min(i, a.count(0) - 1)), shape, i);
}

inline void reference(const Meshgrid&, ReferenceArgs& a) {
  for (int i = 0; i < a.out_count(0); ++i) {
    const Shape& shape = a.out(0, i).shape();
    const int64_t inner = shape.count(i + 1, shape.rank());
    const size_t size = size_of(a.in(0, i).dtype());
    const auto* from = static_cast<const char*>(a.in(0, i).raw());
    auto* to = static_cast<char*>(a.out(0, i).raw());
    for (int64_t k = 0, n = shape.count(); k < n; ++k) {
      std::memcpy(to + static_cast<size_t>(k) * size, from + static_cast<size_t>(k / inner % shape[i]) * size, size);
    }
  }
}

inline constexpr const OpSchema* meshgrid_op = &kOpSchema<Meshgrid>;

}  // namespace coracle::internal
