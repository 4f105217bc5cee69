// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "base/buffer.h"
#include "graph/op.h"

namespace coracle::internal {

/// Intersection over union of each box of x [N, 4] with each of y [M, 4].
struct IouSimilarity {
  static constexpr const char* kName = "iou_similarity";
  static constexpr const char* kLegacy[] = {"iou_similarity"};
  static constexpr Port kInputs[] = {in("x", "X"), in("y", "Y")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  bool box_normalized = true;
  void attributes(AttributeVisitor& visit) { visit("box_normalized", box_normalized); }
  friend bool operator==(const IouSimilarity&, const IouSimilarity&) = default;
};

inline void infer(const IouSimilarity&, InferArgs& a) {
  Shape out = Shape::filled(2, Shape::kUnknown);
  for (int port = 0; port < 2; ++port) {
    const Shape& x = a.shape(port);
    require(is_float(a.dtype(port)), "boxes are ", a.dtype(port), ", expected a real type");
    if (!x.rank_known()) continue;
    require(x.rank() == 2 && (x[1] < 0 || x[1] == 4), "boxes are ", x, ", expected [N, 4]");
    out[port] = x[0];
  }
  a.set(0, a.dtype(0), out);
}

/// Unlike the overlap that suppression uses, pixels on facing edges of disjoint boxes count as shared.
inline double box_similarity(const double* a, const double* b, double pixel) {
  const double width = std::min(a[2], b[2]) - std::max(a[0], b[0]) + pixel;
  const double height = std::min(a[3], b[3]) - std::max(a[1], b[1]) + pixel;
  const double shared = std::max(width, 0.0) * std::max(height, 0.0);
  const auto area = [&](const double* x) { return (x[2] - x[0] + pixel) * (x[3] - x[1] + pixel); };
  return shared / (area(a) + area(b) - shared);
}

inline void reference(const IouSimilarity& op, ReferenceArgs& a) {
  const Buffer<double> x = a.doubles(0);
  const Buffer<double> y = a.doubles(1);
  Buffer<double> overlaps(a.context());
  overlaps.reserve(static_cast<size_t>(a.out(0).count()));
  for (size_t i = 0; i < x.size(); i += 4) {
    for (size_t j = 0; j < y.size(); j += 4) {
      overlaps.push_back(box_similarity(x.data() + i, y.data() + j, op.box_normalized ? 0 : 1));
    }
  }
  a.out(0).assign(a.context(), std::span<const double>(overlaps));
}

inline constexpr const OpSchema* iou_similarity_op = &kOpSchema<IouSimilarity>;

}  // namespace coracle::internal
