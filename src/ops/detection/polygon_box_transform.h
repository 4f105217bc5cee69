// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op.h"

namespace coracle::internal {

/// Distances of polygon corners from the places of a feature map [N, 2 * corners, H, W] as coordinates of the image,
/// which is four times as large: even channels count from the column, odd ones from the row.
struct PolygonBoxTransform {
  static constexpr const char* kName = "polygon_box_transform";
  static constexpr const char* kLegacy[] = {"polygon_box_transform"};
  static constexpr Port kInputs[] = {in("input", "Input")};
  static constexpr Port kOutputs[] = {out("output", "Output")};
  friend bool operator==(const PolygonBoxTransform&, const PolygonBoxTransform&) = default;
};

inline void infer(const PolygonBoxTransform&, InferArgs& a) {
  const Shape& x = a.shape(0);
  require(is_float(a.dtype(0)), "input is ", a.dtype(0), ", expected a real type");
  require(!x.rank_known() || (x.rank() == 4 && (x[1] < 0 || x[1] % 2 == 0)), "input is ", x,
          ", expected [N, 2 * corners, H, W]");
  a.set(0, a.dtype(0), x);
}

inline void reference(const PolygonBoxTransform&, ReferenceArgs& a) {
  constexpr int64_t kStep = 4;  // pixels between places
  const Shape& s = a.shape(0);
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    const T* from = a.in(0).data<T>();
    T* to = a.out(0).data<T>();
    for (int64_t plane = 0; plane < s[0] * s[1]; ++plane) {
      for (int64_t y = 0; y < s[2]; ++y) {
        for (int64_t x = 0; x < s[3]; ++x) {
          const auto place = static_cast<double>((plane % 2 == 0 ? x : y) * kStep);
          *to++ = static_cast<T>(place - static_cast<double>(*from++));
        }
      }
    }
  });
}

inline constexpr const OpSchema* polygon_box_transform_op = &kOpSchema<PolygonBoxTransform>;

}  // namespace coracle::internal
