// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/norm/normalization.h"

namespace coracle::internal {

/// weight divided by its largest singular value, as estimated by power_iters steps from u and v. The matrix has
/// dimension `dim` as rows.
struct SpectralNorm {
  static constexpr const char* kName = "spectral_norm";
  static constexpr const char* kLegacy[] = {"spectral_norm"};
  static constexpr Port kInputs[] = {weight_in("weight", "Weight"), weight_in("u", "U"), weight_in("v", "V")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  int dim = 0;
  int power_iters = 1;
  double eps = 1e-12;
  void attributes(AttributeVisitor& visit) {
    visit("dim", dim);
    visit("power_iters", power_iters);
    visit("eps", eps);
  }
  friend bool operator==(const SpectralNorm&, const SpectralNorm&) = default;
};

inline void infer(const SpectralNorm& op, InferArgs& a) {
  require(is_float(a.dtype(0)), "weight is ", a.dtype(0), ", expected a real type");
  const Shape& w = a.shape(0);
  a.set(0, a.dtype(0), w);
  if (!w.rank_known()) return;
  const int dim = normalize_axis(op.dim, w.rank(), "dim");
  check_channels(a, 1, w[dim], "u");
  if (w.known() && w[dim] > 0) check_channels(a, 2, w.count() / w[dim], "v");
}

inline void reference(const SpectralNorm& op, ReferenceArgs& a) {
  const Shape& s = a.shape(0);
  const int dim = normalize_axis(op.dim, s.rank());
  const int64_t rows = s[dim];
  if (s.count() == 0) return;
  const int64_t columns = s.count() / rows;
  const int64_t inner = s.count(dim + 1, s.rank());
  Floats u = numbers_or(a, 1, rows, 0);
  Floats v = numbers_or(a, 2, columns, 0);
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    const auto at = [&](int64_t r, int64_t c) {
      return static_cast<double>(a.in(0).data<T>()[(c / inner * rows + r) * inner + c % inner]);
    };
    const auto normalize = [&](Floats& x) {
      double squares = 0;
      for (double e : x) squares += e * e;
      const double length = std::sqrt(squares) + op.eps;
      for (double& e : x) e /= length;
    };
    const auto product = [&](int64_t r) {
      double sum = 0;
      for (int64_t c = 0; c < columns; ++c) sum += at(r, c) * v[static_cast<size_t>(c)];
      return sum;
    };
    for (int i = 0; i < op.power_iters; ++i) {
      for (int64_t c = 0; c < columns; ++c) {
        double sum = 0;
        for (int64_t r = 0; r < rows; ++r) sum += at(r, c) * u[static_cast<size_t>(r)];
        v[static_cast<size_t>(c)] = sum;
      }
      normalize(v);
      for (int64_t r = 0; r < rows; ++r) u[static_cast<size_t>(r)] = product(r);
      normalize(u);
    }
    double sigma = 0;
    for (int64_t r = 0; r < rows; ++r) sigma += product(r) * u[static_cast<size_t>(r)];
    for (int64_t i = 0, n = s.count(); i < n; ++i) {
      a.out(0).data<T>()[i] = static_cast<T>(static_cast<double>(a.in(0).data<T>()[i]) / sigma);
    }
  });
}

inline constexpr const OpSchema* spectral_norm_op = &kOpSchema<SpectralNorm>;

}  // namespace coracle::internal
