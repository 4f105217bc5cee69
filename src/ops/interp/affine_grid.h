// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "graph/op.h"

namespace coracle::internal {

/// The positions for grid_sample that an affine map theta ([N, 2, 3] or [N, 3, 4]) gives for a result of shape
/// output_shape [N, C, H, W] or [N, C, D, H, W].
struct AffineGrid {
  static constexpr const char* kName = "affine_grid";
  static constexpr const char* kLegacy[] = {"affine_grid"};
  static constexpr Port kInputs[] = {in("input", "Theta"), shape_in("output_shape", "output_shape", "OutputShape")};
  static constexpr Port kOutputs[] = {out("output", "Output")};
  static constexpr LodRule kLod = LodRule::kFirst;
  bool align_corners = true;
  void attributes(AttributeVisitor& visit) { visit("align_corners", align_corners); }
  friend bool operator==(const AffineGrid&, const AffineGrid&) = default;
};

inline void infer(const AffineGrid&, InferArgs& a) {
  const Shape& theta = a.shape(0);
  require(is_float(a.dtype(0)), "theta is ", a.dtype(0), ", expected a real type");
  const std::optional<Ints> size = a.ints(1);
  int spatial = Shape::kUnknown;
  if (theta.rank_known()) {
    require(theta.rank() == 3, "theta ", theta, " has ", theta.rank(), " dimensions, expected 3");
    if (theta[1] >= 0) spatial = static_cast<int>(std::clamp<int64_t>(theta[1], 0, 4));
    require(theta[1] < 0 || theta[2] < 0 || theta[2] == theta[1] + 1, "theta is ", theta,
            ", expected [N, 2, 3] or [N, 3, 4]");
  }
  if (size) spatial = std::max(static_cast<int>(size->size()) - 2, 0);
  if (spatial < 0) {
    a.set(0, a.dtype(0), Shape::unknown_rank());
    return;
  }
  require(spatial == 2 || spatial == 3, "the grid would have ", spatial, " spatial dimensions, expected 2 or 3");
  require(!theta.rank_known() || theta[1] < 0 || theta[1] == spatial, "theta ", theta, " does not fit output_shape");
  Shape y = Shape::filled(spatial + 2, Shape::kUnknown);
  y[spatial + 1] = spatial;
  if (theta.rank_known()) y[0] = theta[0];
  for (int i = 0; size && i < spatial; ++i) {
    y[i + 1] = (*size)[static_cast<size_t>(i) + 2];
    require(y[i + 1] >= 0, "output_shape has ", y[i + 1]);
  }
  if (size && (*size)[0] >= 0) {
    require(y[0] < 0 || y[0] == (*size)[0], "theta ", theta, " is not for ", (*size)[0], " samples");
    y[0] = (*size)[0];
  }
  a.set(0, a.dtype(0), y);
}

inline void reference(const AffineGrid& op, ReferenceArgs& a) {
  const Shape& y = a.out(0).shape();
  const int spatial = y.rank() - 2;
  const int64_t points = y.count(1, y.rank() - 1);
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    T* to = a.out(0).data<T>();
    for (int64_t n = 0; n < y[0]; ++n) {
      const T* theta = a.in(0).data<T>() + n * spatial * (spatial + 1);
      for (int64_t i = 0; i < points; ++i) {
        // x first: the last dimension is the innermost position.
        double at[4] = {};
        int64_t rest = i;
        for (int d = 0; d < spatial; ++d) {
          const int64_t size = y[spatial - d];
          const int64_t k = rest % size;
          rest /= size;
          const auto count = static_cast<double>(size);
          const double step = op.align_corners ? 2.0 / (count - 1) : 2.0 / count;
          at[d] = (op.align_corners ? -1.0 : -(count - 1) / count) + step * static_cast<double>(k);
        }
        at[spatial] = 1;
        for (int r = 0; r < spatial; ++r) {
          double sum = 0;
          for (int c = 0; c <= spatial; ++c) sum += static_cast<double>(theta[r * (spatial + 1) + c]) * at[c];
          *to++ = static_cast<T>(sum);
        }
      }
    }
  });
}

inline constexpr const OpSchema* affine_grid_op = &kOpSchema<AffineGrid>;

}  // namespace coracle::internal
