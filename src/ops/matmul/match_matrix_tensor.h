// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/buffer.h"
#include "ops/sequence/sequences.h"

namespace coracle::internal {

/// For each pair of sequences of x [N, A] and y [M, B] and each slice t of w [A, T, B] the similarities
/// x_i * w_t * y_j of all their rows, one after the other.
struct MatchMatrixTensor {
  static constexpr const char* kName = "match_matrix_tensor";
  static constexpr const char* kLegacy[] = {"match_matrix_tensor"};
  static constexpr LodRule kLod = LodRule::kOwn;
  static constexpr Port kInputs[] = {in("x", "X"), in("y", "Y"), weight_in("w", "W")};
  static constexpr Port kOutputs[] = {out("out", "Out"), optional_out("tmp", "Tmp")};
  int dim_t = 1;
  void attributes(AttributeVisitor& visit) { visit("dim_t", dim_t); }
  friend bool operator==(const MatchMatrixTensor&, const MatchMatrixTensor&) = default;
};

inline void infer(const MatchMatrixTensor& op, InferArgs& a) {
  const auto agree = [](int64_t x, int64_t y) { return x < 0 || y < 0 || x == y; };
  const Shape& x = a.shape(0);
  const Shape& y = a.shape(1);
  const Shape& w = a.shape(2);
  require(is_float(a.dtype(0)) && a.dtype(0) == a.dtype(1) && a.dtype(0) == a.dtype(2), "x is ", a.dtype(0), ", y ",
          a.dtype(1), " and w ", a.dtype(2));
  if (x.rank_known() && y.rank_known() && w.rank_known()) {
    require(x.rank() == 2 && y.rank() == 2 && w.rank() == 3 && agree(w[0], x[1]) && agree(w[1], op.dim_t) &&
                agree(w[2], y[1]),
            "x ", x, ", y ", y, " and w ", w, " do not fit (dim_t is ", op.dim_t, ")");
  }
  a.set(0, a.dtype(0), Shape{Shape::kUnknown, 1});
  // x times w: kept by training only.
  a.set(1, a.dtype(0), x.known() && w.known() ? Shape{x[0] * w[1] * w[2], 1} : Shape{Shape::kUnknown, 1});
}

inline void reference(const MatchMatrixTensor&, ReferenceArgs& a) {
  const std::vector<int64_t> of_x = offsets_of(a.in(0));
  const std::vector<int64_t> of_y = offsets_of(a.in(1));
  require(of_x.size() == of_y.size(), ErrorCode::kRunFailure, "x has ", of_x.size() - 1, " sequences, but y ",
          of_y.size() - 1);
  const Shape& w = a.shape(2);
  const int64_t columns = w[1] * w[2];
  std::vector<int64_t> ends{0};
  for (size_t s = 0; s + 1 < of_x.size(); ++s) {
    ends.push_back(ends.back() + w[1] * (of_x[s + 1] - of_x[s]) * (of_y[s + 1] - of_y[s]));
  }
  a.out(0) = a.make(a.in(0).dtype(), Shape{ends.back(), 1});
  a.out(0).set_lod(one_level(ends));
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    Buffer<double> products(static_cast<size_t>(a.shape(0)[0] * columns), a.context());
    for (int64_t i = 0; i < a.shape(0)[0]; ++i) {
      Buffer<double> row(static_cast<size_t>(w[0]), a.context());
      for (int64_t k = 0; k < w[0]; ++k) {
        row[static_cast<size_t>(k)] = static_cast<double>(a.in(0).data<T>()[i * w[0] + k]);
      }
      add_vector_matrix(row.data(), a.in(2).data<T>(), w[0], columns, columns, products.data() + i * columns);
    }
    if (a.wants(1)) {
      if (a.out(1).empty_handle()) {
        a.out(1) = a.make(a.in(0).dtype(), Shape{static_cast<int64_t>(products.size()), 1});
      }
      a.out(1).assign(a.context(), std::span<const double>(products));
    }
    T* to = a.out(0).data<T>();
    for (size_t s = 0; s + 1 < of_x.size(); ++s) {
      for (int64_t t = 0; t < w[1]; ++t) {
        for (int64_t i = of_x[s]; i < of_x[s + 1]; ++i) {
          const double* left = products.data() + i * columns + t * w[2];
          for (int64_t j = of_y[s]; j < of_y[s + 1]; ++j) {
            const T* right = a.in(1).data<T>() + j * w[2];
            double sum = 0;
            for (int64_t k = 0; k < w[2]; ++k) sum += left[k] * static_cast<double>(right[k]);
            *to++ = static_cast<T>(sum);
          }
        }
      }
    }
  });
}

inline constexpr const OpSchema* match_matrix_tensor_op = &kOpSchema<MatchMatrixTensor>;

}  // namespace coracle::internal
