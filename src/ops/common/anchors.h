// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "base/buffer.h"
#include "graph/op.h"

namespace coracle {

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

/// Adds a box around a centre as fractions of the image.
inline void add_fraction_box(Buffer<double>& boxes, const ImageGrid& grid, double x, double y, const HalfSize& s,
                             bool clip) {
  double box[4] = {(x - s.width) / grid.width, (y - s.height) / grid.height, (x + s.width) / grid.width,
                   (y + s.height) / grid.height};
  for (double& v : box) boxes.push_back(clip ? std::clamp(v, 0.0, 1.0) : v);
}

/// The four variances for each box.
inline void repeat_variances(const Floats& variances, Tensor& to) {
  Buffer<double> all(static_cast<size_t>(to.count()));
  for (size_t i = 0; i < all.size(); ++i) all[i] = variances[i % 4];
  to.assign(std::span<const double>(all));
}

}  // namespace coracle
