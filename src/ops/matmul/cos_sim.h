// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <vector>

#include "base/buffer.h"
#include "graph/op.h"

namespace coracle::internal {

/// The cosine of the angle between the rows of x and y, where y may have one row for all; [N, 1], with the lengths of
/// the rows.
struct CosSim {
  static constexpr const char* kName = "cos_sim";
  static constexpr const char* kLegacy[] = {"cos_sim"};
  static constexpr Port kInputs[] = {in("x", "X"), in("y", "Y")};
  static constexpr Port kOutputs[] = {out("out", "Out"), optional_out("x_norm", "XNorm"),
                                      optional_out("y_norm", "YNorm")};
  static constexpr LodRule kLod = LodRule::kFirst;
  friend bool operator==(const CosSim&, const CosSim&) = default;
};

inline void infer(const CosSim&, InferArgs& a) {
  const Shape& x = a.shape(0);
  const Shape& y = a.shape(1);
  require(is_float(a.dtype(0)) && a.dtype(0) == a.dtype(1), "x is ", a.dtype(0), " and y ", a.dtype(1),
          ", expected the same real type");
  int64_t rows = Shape::kUnknown;
  int64_t others = Shape::kUnknown;
  if (x.rank_known() && y.rank_known()) {
    require(x.rank() >= 2 && x.rank() == y.rank(), "x is ", x, " and y ", y,
            ", expected the same number of dimensions");
    rows = x[0];
    others = y[0];
    require(rows < 0 || others < 0 || rows == others || others == 1, "x is ", x, " and y ", y);
    for (int d = 1; d < x.rank(); ++d) require(x[d] < 0 || y[d] < 0 || x[d] == y[d], "x is ", x, " and y ", y);
  }
  a.set(0, a.dtype(0), Shape{rows, 1});
  a.set(1, a.dtype(0), Shape{rows, 1});
  a.set(2, a.dtype(0), Shape{others, 1});
}

inline void reference(const CosSim&, ReferenceArgs& a) {
  const int64_t rows = a.shape(0)[0];
  const int64_t others = a.shape(1)[0];
  const int64_t n = a.shape(0).count(1, a.shape(0).rank());
  const Buffer<double> x = a.doubles(0);
  const Buffer<double> y = a.doubles(1);
  const auto product = [n](const Buffer<double>& u, int64_t i, const Buffer<double>& v, int64_t j) {
    double sum = 0;
    for (int64_t k = 0; k < n; ++k) sum += u[static_cast<size_t>(i * n + k)] * v[static_cast<size_t>(j * n + k)];
    return sum;
  };
  Buffer<double> cosines(a.context());
  Buffer<double> x_lengths(a.context());
  Buffer<double> y_lengths(a.context());
  for (int64_t j = 0; j < others; ++j) y_lengths.push_back(std::sqrt(product(y, j, y, j)));
  for (int64_t i = 0; i < rows; ++i) {
    const int64_t j = others == 1 ? 0 : i;
    x_lengths.push_back(std::sqrt(product(x, i, x, i)));
    cosines.push_back(product(x, i, y, j) / (x_lengths.back() * y_lengths[static_cast<size_t>(j)]));
  }
  a.out(0).assign(a.context(), std::span<const double>(cosines));
  if (a.wants(1)) a.out(1).assign(a.context(), std::span<const double>(x_lengths));
  if (a.wants(2)) a.out(2).assign(a.context(), std::span<const double>(y_lengths));
}

inline constexpr const OpSchema* cos_sim_op = &kOpSchema<CosSim>;

}  // namespace coracle::internal
