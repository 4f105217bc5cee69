// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ops/common/binary.h"
#include "ops/common/epilogue.h"

namespace coracle {

/// x [..., k] times a constant matrix w ([k, n], or [n, k] if transpose_w), and what is done to the result right away; its
/// last dimension counts as the channels. Made by rewrites.
struct Linear : Epilogue {
  static constexpr const char* kName = "linear";
  static constexpr Port kInputs[] = {in("x", ""), weight_in("w", ""), list_in("tensors", "")};
  static constexpr Port kOutputs[] = {out("out", "")};
  bool transpose_w = false;
  void attributes(AttributeVisitor& visit) {
    visit("transpose_w", transpose_w);
    Epilogue::attributes(visit);
  }
  friend bool operator==(const Linear&, const Linear&) = default;
};

inline void infer(const Linear& op, InferArgs& a) {
  const Shape& w = a.shape(1);
  require(w.rank_known() && w.rank() == 2, "w has shape ", w, ", expected a matrix");
  Shape y = a.shape(0);
  if (y.rank_known()) {
    require(y.rank() >= 1, "x is a scalar, expected at least one dimension");
    const int64_t k = w[op.transpose_w ? 1 : 0];
    require(y.back() < 0 || k < 0 || y.back() == k, "x ", y, " does not fit w ", w);
    y[y.rank() - 1] = w[op.transpose_w ? 0 : 1];
  }
  a.set(0, promote(a.dtype(0), a.dtype(1)), y);
  infer_epilogue(op, a, 2, -1);
}

inline void reference(const Linear& op, ReferenceArgs& a) {
  const Shape& w_shape = a.shape(1);
  const int64_t k = w_shape[op.transpose_w ? 1 : 0];
  const int64_t n = w_shape[op.transpose_w ? 0 : 1];
  const int64_t rows = k == 0 ? a.out(0).count() / std::max<int64_t>(n, 1) : a.in(0).count() / k;
  visit_float(a.out(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    const Tensor x_tensor = converted(a.in(0), a.out(0).dtype());
    const Tensor w_tensor = converted(a.in(1), a.out(0).dtype());
    const T* w = w_tensor.data<T>();
    std::vector<double> sums(static_cast<size_t>(n));
    for (int64_t r = 0; r < rows; ++r) {
      const T* x = x_tensor.data<T>() + r * k;
      std::fill(sums.begin(), sums.end(), 0.0);
      for (int64_t i = 0; i < k; ++i) {
        for (int64_t j = 0; j < n; ++j) {
          sums[static_cast<size_t>(j)] +=
              static_cast<double>(x[i]) * static_cast<double>(w[op.transpose_w ? j * k + i : i * n + j]);
        }
      }
      T* y = a.out(0).data<T>() + r * n;
      for (int64_t j = 0; j < n; ++j) y[j] = static_cast<T>(sums[static_cast<size_t>(j)]);
    }
  });
  reference_epilogue(op, a, 2, -1);
}

inline constexpr const OpRow* linear_op = &kOpRow<Linear>;

}  // namespace coracle
