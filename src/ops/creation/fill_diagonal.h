// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/convert.h"
#include "ops/creation/diagonals.h"

namespace coracle::internal {

/// x with `value` on its diagonal `offset` (of all dimensions together); `wrap` begins again below in a tall matrix.
struct FillDiagonal {
  static constexpr const char* kName = "fill_diagonal";
  static constexpr const char* kLegacy[] = {"fill_diagonal"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  double value = 0;
  int offset = 0;
  bool wrap = false;
  void attributes(AttributeVisitor& visit) {
    visit("value", value);
    visit("offset", offset);
    visit("wrap", wrap);
  }
  friend bool operator==(const FillDiagonal&, const FillDiagonal&) = default;
};

inline void infer(const FillDiagonal&, InferArgs& a) {
  const Shape& x = a.shape(0);
  require(!x.rank_known() || x.rank() >= 2, "x is ", x, ", expected 2 dimensions or more");
  for (int i = 1; x.known() && x.rank() > 2 && i < x.rank(); ++i) {
    require(x[i] == x[0], "x is ", x, ", expected equal dimensions");
  }
  a.set(0, a.dtype(0), x);
}

inline void reference(const FillDiagonal& op, ReferenceArgs& a) {
  copy_tensor(a.context(), a.in(0), a.out(0));
  const ElementWalk all = row_major(a.shape(0));
  int64_t stride = 0;
  for (int i = 0; i < all.rank; ++i) stride += all.step[i];
  const int64_t width = all.size[1];
  const int64_t count = a.in(0).count();
  const int64_t end = op.wrap ? count : std::min(count, width * width);
  visit_real(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    for (int64_t i = 0; i < end; i += stride) {
      const int64_t column = i % width + op.offset;
      const int64_t at = i + op.offset;
      if (column >= 0 && column < width && at >= 0 && at < count) a.out(0).data<T>()[at] = convert<T>(op.value);
    }
  });
}

inline constexpr const OpSchema* fill_diagonal_op = &kOpSchema<FillDiagonal>;

}  // namespace coracle::internal
