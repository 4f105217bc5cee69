// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>

#include "base/buffer.h"
#include "base/long_loop.h"
#include "graph/op.h"
#include "ops/conv_pool/pooling.h"
#include "ops/movement/rearranging.h"

namespace coracle::internal {

/// Spatial pyramid pooling: x [N, C, H, W] pooled to 1 x 1, 2 x 2, 4 x 4 ... bins, a level each, side by side in rows
/// of C * (1 + 4 + 16 ...) numbers. A level cuts the image, padded on all sides alike, into windows of one size;
/// elements outside of the image do not count.
struct Spp {
  static constexpr const char* kName = "spp";
  static constexpr const char* kLegacy[] = {"spp"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  int pyramid_height = 1;
  PoolingType pooling_type = PoolingType::kMax;
  void attributes(AttributeVisitor& visit) {
    visit("pyramid_height", pyramid_height);
    visit("pooling_type", pooling_type);
  }
  friend bool operator==(const Spp&, const Spp&) = default;
};

inline void infer(const Spp& op, InferArgs& a) {
  constexpr int kMostLevels = 16;  // the last of which has 2^30 bins
  require(is_float(a.dtype(0)), "x is ", a.dtype(0), ", expected a real type");
  require(op.pyramid_height > 0 && op.pyramid_height <= kMostLevels, "pyramid_height is ", op.pyramid_height,
          ", expected 1 to ", kMostLevels);
  require(op.pooling_type != PoolingType::kNorm, "pooling_type is ", names_of(op.pooling_type).back(),
          ", expected max or avg");
  const Shape x = image_shape(a.shape(0));
  require(!x.known() || x.count(2, 4) > 0, "x is ", x, ", which has no pixels");
  const int64_t bins = ((int64_t{1} << 2 * op.pyramid_height) - 1) / 3;
  a.set(0, a.dtype(0), Shape{x[0], multiplied(x[1], bins)});
}

inline void reference(const Spp& op, ReferenceArgs& a) {
  const Shape& s = a.shape(0);
  const Buffer<double> x = a.doubles(0);
  Buffer<double> y(static_cast<size_t>(a.out(0).count()), a.context());
  const int64_t row = a.out(0).shape()[1];
  const bool largest = op.pooling_type == PoolingType::kMax;
  LoopCheck check(a.context());
  int64_t at = 0;  // of this level, in each row
  for (int level = 0; level < op.pyramid_height; ++level) {
    const int64_t bins = int64_t{1} << level;
    int64_t size[2];
    int64_t padding[2];
    for (int axis : {0, 1}) {
      size[axis] = (s[axis + 2] + bins - 1) / bins;
      padding[axis] = (size[axis] * bins - s[axis + 2] + 1) / 2;
    }
    /// Where window i along an axis begins and ends inside of the image.
    const auto begin = [&](int axis, int64_t i) { return std::max<int64_t>(0, i * size[axis] - padding[axis]); };
    const auto end = [&](int axis, int64_t i) { return std::min(s[axis + 2], (i + 1) * size[axis] - padding[axis]); };
    for (int64_t plane = 0; plane < s[0] * s[1]; ++plane) {
      const double* from = x.data() + plane * s[2] * s[3];
      double* to = y.data() + plane / s[1] * row + at + plane % s[1] * bins * bins;
      for (int64_t bin = 0; bin < bins * bins; ++bin) {
        const int64_t i = bin / bins;
        const int64_t j = bin % bins;
        double value = largest ? -static_cast<double>(std::numeric_limits<float>::max()) : 0.0;
        for (int64_t h = begin(0, i); h < end(0, i); ++h) {
          for (int64_t w = begin(1, j); w < end(1, j); ++w) {
            const double element = from[h * s[3] + w];
            value = largest ? std::max(value, element) : value + element;
          }
        }
        const int64_t count = (end(0, i) - begin(0, i)) * (end(1, j) - begin(1, j));
        check.step(8 + std::max<int64_t>(0, count));
        to[bin] = largest ? value : value / static_cast<double>(count);
      }
    }
    at += s[1] * bins * bins;
  }
  a.out(0).assign(a.context(), std::span<const double>(y));
}

inline constexpr const OpSchema* spp_op = &kOpSchema<Spp>;

}  // namespace coracle::internal
