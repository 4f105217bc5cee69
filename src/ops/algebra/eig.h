// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/algebra/decompositions.h"
#include "ops/common/complex_numbers.h"

namespace coracle::internal {

/// Eigenvalues of square matrices, complex, in no particular order, and eigenvectors of length 1 as columns.
struct Eig {
  static constexpr const char* kName = "eig";
  static constexpr const char* kLegacy[] = {"eig"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out_w", "Eigenvalues"), out("out_v", "Eigenvectors")};
  friend bool operator==(const Eig&, const Eig&) = default;
};

inline DType eigen_dtype(DType x) {
  require(is_float(x), ErrorCode::kUnsupported, "x is ", x, ", only real types are supported");
  return x == DType::kFloat64 ? DType::kComplex128 : DType::kComplex64;
}

/// Numbers from element i * values.size() of a complex tensor on.
inline void write_complex(Tensor& t, int64_t i, const std::vector<std::complex<double>>& values) {
  const int64_t first = i * static_cast<int64_t>(values.size());
  for (size_t k = 0; k < values.size(); ++k) {
    const int64_t at = first + static_cast<int64_t>(k);
    if (t.dtype() == DType::kComplex64) {
      t.data<std::complex<float>>()[at] = std::complex<float>(values[k]);
    } else {
      t.data<std::complex<double>>()[at] = values[k];
    }
  }
}

inline void infer(const Eig&, InferArgs& a) {
  require_square(a.shape(0), "x");
  Shape values = a.shape(0);
  if (values.rank_known()) values.erase(values.rank() - 1);
  a.set(0, eigen_dtype(a.dtype(0)), values);
  a.set(1, eigen_dtype(a.dtype(0)), a.shape(0));
}

inline void reference(const Eig&, ReferenceArgs& a) {
  const int64_t n = a.shape(0).back();
  for (int64_t i = 0, count = a.shape(0).count(0, a.shape(0).rank() - 2); i < count; ++i) {
    const GeneralEigen e = general_eigen(a.context(), read_matrix(a.context(), a.in(0), i, n * n), n);
    if (a.wants(0)) write_complex(a.out(0), i, e.values);
    if (a.wants(1)) write_complex(a.out(1), i, e.vectors);
  }
}

inline constexpr const OpSchema* eig_op = &kOpSchema<Eig>;

}  // namespace coracle::internal
