// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/buffer.h"
#include "base/convert.h"
#include "ops/detection/regions.h"

namespace coracle::internal {

/// The largest element of x [N, C, H, W] in each cell of a grid over each region [R, 4], whose corners are rounded to
/// elements; 0 for a cell outside of x. boxes_num tells how many regions each image has; without it the offsets of the
/// regions do. arg_max has the place of the element in its plane, -1 for none.
struct RoiPool {
  static constexpr const char* kName = "roi_pool";
  static constexpr const char* kLegacy[] = {"roi_pool"};
  static constexpr Port kInputs[] = {in("x", "X"), in("boxes", "ROIs"), optional_in("boxes_num", "RoisNum")};
  static constexpr Port kOutputs[] = {out("out", "Out"), optional_out("arg_max", "Argmax")};
  int pooled_height = 1;
  int pooled_width = 1;
  float spatial_scale = 1;
  void attributes(AttributeVisitor& visit) {
    visit("pooled_height", pooled_height);
    visit("pooled_width", pooled_width);
    visit("spatial_scale", spatial_scale);
  }
  friend bool operator==(const RoiPool&, const RoiPool&) = default;
};

inline void infer(const RoiPool& op, InferArgs& a) {
  infer_region_pooling(a, op.pooled_height, op.pooled_width);
  a.set(1, DType::kInt64, a.out(0).shape);
}

/// Cell `i` of `cells` over the elements first .. last of an axis with `size` elements, cut to the axis.
inline CellRange pool_cell(double first, double last, int i, int cells, int64_t size) {
  const float step = static_cast<float>(std::max(last - first + 1, 1.0)) / static_cast<float>(cells);
  const auto limit = static_cast<double>(size);
  const double begin = std::clamp(double(std::floor(static_cast<float>(i) * step)) + first, 0.0, limit);
  const double end = std::clamp(double(std::ceil(static_cast<float>(i + 1) * step)) + first, 0.0, limit);
  return {position(begin), position(end)};
}

inline void reference(const RoiPool& op, ReferenceArgs& a) {
  const Shape& s = a.shape(0);
  const Buffer<double> boxes = a.doubles(1);
  const std::vector<int64_t> images = images_of_regions(a);
  int64_t* place = a.wants(1) ? a.out(1).data<int64_t>() : nullptr;
  // Corners are single-precision products: which element is the nearest one depends on it.
  const auto corner = [&](size_t r, size_t i) {
    const double v = boxes[r * 4 + i];
    const double at = a.in(1).dtype() == DType::kFloat64 ? v * op.spatial_scale : float(v) * op.spatial_scale;
    return std::isnan(at) ? 0.0 : std::clamp(std::round(at), -1e9, 1e9);
  };
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    T* to = a.out(0).data<T>();
    for (size_t r = 0; r < images.size(); ++r) {
      for (int64_t c = 0; c < s[1]; ++c) {
        const T* x = a.in(0).data<T>() + (images[r] * s[1] + c) * s[2] * s[3];
        for (int i = 0; i < op.pooled_height; ++i) {
          const CellRange down = pool_cell(corner(r, 1), corner(r, 3), i, op.pooled_height, s[2]);
          for (int j = 0; j < op.pooled_width; ++j) {
            const CellRange across = pool_cell(corner(r, 0), corner(r, 2), j, op.pooled_width, s[3]);
            const bool empty = down.end <= down.begin || across.end <= across.begin;
            double most = empty ? 0 : -double(std::numeric_limits<float>::max());
            if (!empty && std::is_same_v<T, double>) most = std::numeric_limits<double>::lowest();
            int64_t best = -1;
            for (int64_t y = down.begin; y < down.end; ++y) {
              for (int64_t z = across.begin; z < across.end; ++z) {
                const auto v = static_cast<double>(x[y * s[3] + z]);
                if (!(v > most)) continue;
                most = v;
                best = y * s[3] + z;
              }
            }
            *to++ = static_cast<T>(most);
            if (place != nullptr) *place++ = best;
          }
        }
      }
    }
  });
}

inline constexpr const OpSchema* roi_pool_op = &kOpSchema<RoiPool>;

}  // namespace coracle::internal
