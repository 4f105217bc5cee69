// SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/matrix_product.h"

#include <algorithm>
#include <vector>

#include "base/buffer.h"
#include "base/convert.h"
#include "base/long_loop.h"
#include "ops/common/complex_numbers.h"

namespace coracle::internal {
namespace {

Shape without_matrix(const Shape& s) { return Shape(std::span(s.begin(), static_cast<size_t>(s.rank() - 2))); }

/// A vector as a matrix.
Shape as_matrix(Shape s, bool left) {
  if (s.rank() == 1) s.insert(left ? 0 : 1, 1);
  return s;
}

}  // namespace

Shape matrix_product_shape(const Shape& x, const Shape& y, bool transpose_x, bool transpose_y) {
  if (!x.rank_known() || !y.rank_known()) return Shape::unknown_rank();
  require(x.rank() >= 1 && y.rank() >= 1, "a matrix product of ", x, " and ", y, " needs at least one dimension each");
  const Shape a = as_matrix(x, true);
  const Shape b = as_matrix(y, false);
  const bool ta = transpose_x && x.rank() > 1;
  const bool tb = transpose_y && y.rank() > 1;
  const int64_t ka = a[a.rank() - (ta ? 2 : 1)];
  const int64_t kb = b[b.rank() - (tb ? 1 : 2)];
  require(ka < 0 || kb < 0 || ka == kb, "x ", x, transpose_x ? " (transposed)" : "", " does not fit y ", y,
          transpose_y ? " (transposed)" : "", ": ", ka, " against ", kb);
  Shape out = broadcast(without_matrix(a), without_matrix(b));
  if (x.rank() > 1) out.push_back(a[a.rank() - (ta ? 1 : 2)]);
  if (y.rank() > 1) out.push_back(b[b.rank() - (tb ? 2 : 1)]);
  return out;
}

namespace {

/// The product in numbers of type T; `double` or complex numbers of it add up.
template <class T, class Sum>
void multiply_matrices(const RunContext& context, const Tensor& x, const Tensor& y, bool transpose_x, bool transpose_y,
                       double alpha, Tensor& out) {
  const Shape a = as_matrix(x.shape(), true);
  const Shape b = as_matrix(y.shape(), false);
  const bool ta = transpose_x && x.shape().rank() > 1;
  const bool tb = transpose_y && y.shape().rank() > 1;
  const int64_t m = a[a.rank() - (ta ? 1 : 2)];
  const int64_t k = a[a.rank() - (ta ? 2 : 1)];
  const int64_t n = b[b.rank() - (tb ? 2 : 1)];
  const BroadcastWalk walk(broadcast(without_matrix(a), without_matrix(b)), without_matrix(a), without_matrix(b));
  Buffer<Sum> sums(static_cast<size_t>(n), context);
  LoopCheck check(context);
  walk.each(context, [&](int64_t batch, int64_t batch_x, int64_t batch_y) {
    const T* px = x.data<T>() + batch_x * m * k;
    const T* py = y.data<T>() + batch_y * k * n;
    T* po = out.data<T>() + batch * m * n;
    for (int64_t i = 0; i < m; ++i) {
      check.step(k * n);
      std::fill(sums.begin(), sums.end(), Sum(0));
      for (int64_t l = 0; l < k; ++l) {
        const auto v = static_cast<Sum>(px[ta ? l * m + i : i * k + l]);
        for (int64_t j = 0; j < n; ++j)
          sums[static_cast<size_t>(j)] += v * static_cast<Sum>(py[tb ? j * k + l : l * n + j]);
      }
      for (int64_t j = 0; j < n; ++j) po[i * n + j] = convert<T>(alpha * sums[static_cast<size_t>(j)]);
    }
  });
}

}  // namespace

void reference_matrix_product(const RunContext& context, const Tensor& x, const Tensor& y, bool transpose_x,
                              bool transpose_y, double alpha, Tensor& out) {
  if (is_complex(out.dtype())) {
    return visit_complex(out.dtype(), [&](auto* p) {
      using T = std::complex<std::remove_pointer_t<decltype(p)>>;
      multiply_matrices<T, std::complex<double>>(context, x, y, transpose_x, transpose_y, alpha, out);
    });
  }
  visit_real(out.dtype(), [&](auto* p) {
    multiply_matrices<std::remove_pointer_t<decltype(p)>, double>(context, x, y, transpose_x, transpose_y, alpha, out);
  });
}

int64_t matrix_product_flops(const Shape& x, bool transpose_x, const Shape& out) {
  const int rank = x.rank();
  return 2 * out.count() * (rank == 0 ? 1 : x[rank - (transpose_x && rank > 1 ? 2 : 1)]);
}

}  // namespace coracle::internal
