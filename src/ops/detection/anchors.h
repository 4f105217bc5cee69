// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "graph/op.h"

namespace coracle::internal {

struct HalfSize {
  double width;
  double height;
};

/// The places of a feature map [N, C, H, W] on an image: their distances in pixels, image over map where not given.
struct ImageGrid {
  int64_t rows;
  int64_t columns;
  double width;  ///< of the image
  double height;
  double step_w;
  double step_h;
  ImageGrid(const Shape& map, const Shape& image, double given_w, double given_h)
      : rows(map[2]),
        columns(map[3]),
        width(static_cast<double>(image[3])),
        height(static_cast<double>(image[2])),
        step_w(given_w),
        step_h(given_h) {
    if (given_w == 0 || given_h == 0) {
      step_w = width / static_cast<double>(columns);
      step_h = height / static_cast<double>(rows);
    }
  }
};

/// Anchors and variances [H, W, per_place, 4] for a feature map at port 0 (and an image at port 1).
inline void infer_anchors(InferArgs& a, const Floats& variances, size_t per_place) {
  require(is_float(a.dtype(0)), "the feature map is ", a.dtype(0), ", expected a real type");
  require(variances.size() == 4, "there are ", variances.size(), " variances, expected 4");
  Shape y{Shape::kUnknown, Shape::kUnknown, static_cast<int64_t>(per_place), 4};
  for (int port = 0; port < 2 && a.has(port); ++port) {
    require(!a.shape(port).rank_known() || a.shape(port).rank() == 4, "expected 4 dimensions, found ", a.shape(port));
  }
  if (a.shape(0).rank_known()) {
    y[0] = a.shape(0)[2];
    y[1] = a.shape(0)[3];
  }
  a.set(0, a.dtype(0), y);
  a.set(1, a.dtype(0), y);
}

/// The box around a centre as fractions of the image.
inline std::array<double, 4> fraction_box(const ImageGrid& grid, double x, double y, const HalfSize& s, bool clip) {
  std::array<double, 4> box = {(x - s.width) / grid.width, (y - s.height) / grid.height, (x + s.width) / grid.width,
                               (y + s.height) / grid.height};
  if (clip) {
    for (double& v : box) v = std::clamp(v, 0.0, 1.0);
  }
  return box;
}

/// Writes boxes, as f(add) gives them to `add` one after the other, and the four variances for each.
template <class F>
void write_anchors(const Floats& variances, ReferenceArgs& a, const F& f) {
  visit_float(a.out(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    T* to = a.out(0).data<T>();
    f([&](const std::array<double, 4>& box) {
      for (double v : box) *to++ = static_cast<T>(v);
    });
    T of_each[4];
    for (size_t i = 0; i < 4; ++i) of_each[i] = static_cast<T>(variances[i]);
    T* to_variances = a.out(1).data<T>();
    for (int64_t i = 0, n = a.out(1).count(); i < n; i += 4) std::copy(of_each, of_each + 4, to_variances + i);
  });
}

}  // namespace coracle::internal
