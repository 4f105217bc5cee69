// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/buffer.h"
#include "graph/lowering.h"
#include "ops/algebra/decompositions.h"

namespace coracle::internal {

/// How many singular values (of a symmetric matrix: magnitudes of eigenvalues) are above a bound: `absolute`, or
/// `relative` times the largest, whichever is more.
inline int64_t matrix_rank_of(const RunContext& context, const Matrix& x, int64_t m, int64_t n, bool hermitian,
                              double absolute, double relative) {
  Buffer<double> values(context);
  if (hermitian) {
    for (double v : symmetric_eigen(context, x, n).values) values.push_back(std::fabs(v));
  } else {
    values = singular_values(context, x, m, n).s;
  }
  double largest = 0;
  for (double v : values) largest = std::max(largest, v);
  const double bound = std::max(absolute, relative * largest);
  return std::count_if(values.begin(), values.end(), [bound](double v) { return v > bound; });
}

inline void infer_matrix_rank(InferArgs& a, DType dtype = DType::kInt64) {
  Shape y = a.shape(0);
  if (y.rank_known()) {
    require(y.rank() >= 2, "x is ", y, ", expected matrices");
    y.erase(y.rank() - 1);
    y.erase(y.rank() - 1);
  }
  a.set(0, dtype, y);
}

/// The relative bound where none is given: the larger size times the rounding step of the type.
inline double default_rank_tolerance(const Shape& x, DType dtype) {
  const auto size = static_cast<double>(std::max(x[x.rank() - 2], x.back()));
  return size * (dtype == DType::kFloat64 ? std::numeric_limits<double>::epsilon()
                                          : static_cast<double>(std::numeric_limits<float>::epsilon()));
}

/// f(i) gives the absolute and relative bound of matrix i.
template <class F>
void reference_matrix_rank(ReferenceArgs& a, bool hermitian, const F& f) {
  const Shape& s = a.shape(0);
  const int64_t m = s[s.rank() - 2];
  const int64_t n = s.back();
  require(!hermitian || m == n, ErrorCode::kRunFailure, "x is ", s, ", but said to be symmetric");
  for (int64_t i = 0, count = a.out(0).count(); i < count; ++i) {
    const auto [absolute, relative] = f(i);
    const int64_t rank =
        matrix_rank_of(a.context(), read_matrix(a.context(), a.in(0), i, m * n), m, n, hermitian, absolute, relative);
    if (a.out(0).dtype() == DType::kInt32) {
      a.out(0).data<int32_t>()[i] = static_cast<int32_t>(rank);
    } else {
      a.out(0).data<int64_t>()[i] = rank;
    }
  }
}

/// The number of singular values above `tol`, or above a few rounding steps of the largest.
struct MatrixRank {
  static constexpr const char* kName = "matrix_rank";
  static constexpr const char* kLegacy[] = {"matrix_rank"};
  static constexpr Port kInputs[] = {in("x", "X"), optional_in("tol_tensor", "TolTensor")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  double tol = 0;
  bool use_default_tol = true;
  bool hermitian = false;
  DType dtype = DType::kInt64;  ///< of the result; ProgramDesc's operator gives int32
  void attributes(AttributeVisitor& visit) {
    visit("tol", tol);
    visit("use_default_tol", use_default_tol);
    visit("hermitian", hermitian);
    visit("dtype", dtype);
  }
  friend bool operator==(const MatrixRank&, const MatrixRank&) = default;
  static void lower(Lowering& l);
};

inline void infer(const MatrixRank& op, InferArgs& a) {
  require(op.dtype == DType::kInt32 || op.dtype == DType::kInt64, "dtype is ", op.dtype, ", expected int32 or int64");
  infer_matrix_rank(a, op.dtype);
}

inline void reference(const MatrixRank& op, ReferenceArgs& a) {
  const bool given = a.has(1) && a.in(1).count() > 0;
  const double relative = given || !op.use_default_tol ? 0.0 : default_rank_tolerance(a.shape(0), a.in(0).dtype());
  reference_matrix_rank(a, op.hermitian, [&](int64_t i) {
    const double absolute = given ? a.in(1).number(i % a.in(1).count()) : op.use_default_tol ? 0.0 : op.tol;
    return std::pair(absolute, relative);
  });
}

inline void MatrixRank::lower(Lowering& l) {
  auto op = l.read<MatrixRank>();
  op.dtype = l.is_pir() ? DType::kInt64 : DType::kInt32;
  l.bind("Out", l.add(op, l.ports_of(kOpSchema<MatrixRank>)));
}

inline constexpr const OpSchema* matrix_rank_op = &kOpSchema<MatrixRank>;

}  // namespace coracle::internal
