// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/long_loop.h"
#include "ops/common/indices.h"
#include "ops/common/joining.h"
#include "ops/common/sharing_lod.h"

namespace coracle::internal {

/// out[r][i] = x[r][index[r][i]] for two matrices.
struct IndexSample {
  static constexpr const char* kName = "index_sample";
  static constexpr const char* kLegacy[] = {"index_sample"};
  static constexpr LodRule kLod = LodRule::kDerived;
  static constexpr Port kInputs[] = {in("x", "X"), in("index", "Index")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  friend bool operator==(const IndexSample&, const IndexSample&) = default;
};

inline void infer(const IndexSample&, InferArgs& a) {
  const Shape x = met(a.shape(0), Shape::filled(2, Shape::kUnknown));
  const Shape index = met(a.shape(1), Shape::filled(2, Shape::kUnknown));
  a.set(0, a.dtype(0), met(Shape{x[0], Shape::kUnknown}, index));
  share_lod(a, 0, 1);
}

inline void reference(const IndexSample&, ReferenceArgs& a) {
  const int64_t width = a.shape(0)[1];
  const int64_t taken = a.shape(1)[1];
  visit_real(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    LoopCheck check(a.context());
    for (int64_t i = 0, n = a.out(0).count(); i < n; ++i) {
      check.step();
      const int64_t column = index_from_front(a.in(1).integer(i), width, "Index", i);
      a.out(0).data<T>()[i] = a.in(0).data<T>()[i / taken * width + column];
    }
  });
}

inline constexpr const OpSchema* index_sample_op = &kOpSchema<IndexSample>;

}  // namespace coracle::internal
