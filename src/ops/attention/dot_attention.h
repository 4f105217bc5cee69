// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/buffer.h"
#include "graph/op.h"

namespace coracle::internal {

/// The rows of one head: row i starts at data + i * step.
template <class T>
struct HeadRows {
  T* data;
  int64_t step;
};

/// What attention over one head needs besides its rows.
struct HeadAttention {
  int64_t queries;
  int64_t keys;
  int64_t depth;  ///< of queries and keys
  int64_t width;  ///< of values
  double scale;
  bool causal;  ///< the last query sees all keys, each one before it one less
};

/// out = softmax(q k^T * scale + mask) v for one head; mask(i, j) gives a number for query i and key j. A query that
/// sees no key gives zeros.
template <class T, class Mask>
void attend_head(const RunContext& context, const HeadAttention& head, HeadRows<const T> q, HeadRows<const T> k,
                 HeadRows<const T> v, Mask mask, HeadRows<T> out) {
  Buffer<double> row(static_cast<size_t>(head.keys), context);
  Buffer<double> sums(static_cast<size_t>(head.width), context);
  for (int64_t i = 0; i < head.queries; ++i) {
    const int64_t seen = head.causal ? std::clamp<int64_t>(i + 1 + head.keys - head.queries, 0, head.keys) : head.keys;
    double largest = -std::numeric_limits<double>::infinity();
    for (int64_t j = 0; j < seen; ++j) {
      double sum = 0;
      for (int64_t d = 0; d < head.depth; ++d) {
        sum += static_cast<double>(q.data[i * q.step + d]) * static_cast<double>(k.data[j * k.step + d]);
      }
      sum = sum * head.scale + mask(i, j);
      row[static_cast<size_t>(j)] = sum;
      largest = std::max(largest, sum);
    }
    double total = 0;
    std::fill(sums.begin(), sums.end(), 0.0);
    for (int64_t j = 0; j < seen && largest > -std::numeric_limits<double>::infinity(); ++j) {
      const double weight = std::exp(row[static_cast<size_t>(j)] - largest);
      total += weight;
      for (int64_t e = 0; e < head.width; ++e) {
        sums[static_cast<size_t>(e)] += weight * static_cast<double>(v.data[j * v.step + e]);
      }
    }
    for (int64_t e = 0; e < head.width; ++e) {
      out.data[i * out.step + e] = static_cast<T>(total > 0 ? sums[static_cast<size_t>(e)] / total : 0.0);
    }
  }
}

/// Operand 0 [..., heads, depth] of a fused attention against keys and values (operands 1 and 2) with as many heads, or
/// so many that each serves several of the queries' heads. `head_axis` counts from the front. Sets result 0.
inline void infer_heads(InferArgs& a, int rank, int head_axis) {
  require(is_float(a.dtype(0)), "q is ", a.dtype(0), ", expected a real type");
  const Shape& q = a.shape(0);
  for (int port : {1, 2}) {
    const Shape& x = a.shape(port);
    require(a.dtype(port) == a.dtype(0), port == 1 ? "k" : "v", " is ", a.dtype(port), ", but q is ", a.dtype(0));
    require(!x.rank_known() || x.rank() == rank, port == 1 ? "k" : "v", " is ", x, ", expected ", rank, " dimensions");
    if (!x.rank_known() || !q.rank_known()) continue;
    require(q.rank() == rank, "q is ", q, ", expected ", rank, " dimensions");
    const bool fits = q[head_axis] < 0 || x[head_axis] < 0 || (x[head_axis] > 0 && q[head_axis] % x[head_axis] == 0);
    require(fits, "q is ", q, ", but ", port == 1 ? "k " : "v ", x);
    const bool same_depth = port == 2 || q.back() < 0 || x.back() < 0 || q.back() == x.back();
    require(same_depth, "q is ", q, ", but k ", x);
  }
  require(compatible(a.shape(1), a.shape(2)) || !a.shape(1).rank_known() || !a.shape(2).rank_known() ||
              a.shape(1).back() != a.shape(2).back(),
          "k is ", a.shape(1), ", but v ", a.shape(2));
  Shape y = q;
  if (y.rank_known() && a.shape(2).rank_known()) y[rank - 1] = a.shape(2).back();
  a.set(0, a.dtype(0), y);
}

/// A mask [batch, heads, queries, keys] whose dimensions may be 1, read by position; all 0 where there is none.
class HeadMask {
 public:
  /// `mask` may be null. Throws Error where it does not fit.
  HeadMask(const RunContext& context, const Tensor* mask, int64_t batch, int64_t heads, int64_t queries, int64_t keys)
      : values_(context) {
    if (mask == nullptr) return;
    const int64_t sizes[] = {batch, heads, queries, keys};
    Shape s = mask->shape();
    require(s.rank() <= 4, ErrorCode::kRunFailure, "mask is ", s, ", expected [batch, heads, queries, keys]");
    while (s.rank() < 4) s.insert(0, 1);
    int64_t step = 1;
    for (int i = 3; i >= 0; --i) {
      require(s[i] == 1 || s[i] == sizes[i], ErrorCode::kRunFailure, "mask is ", mask->shape(), ", expected [", batch,
              ", ", heads, ", ", queries, ", ", keys, "]");
      step_[i] = s[i] == 1 ? 0 : step;
      step *= s[i];
    }
    values_ = doubles_of(context, *mask);
  }
  double at(int64_t batch, int64_t head, int64_t query, int64_t key) const {
    if (values_.empty()) return 0;
    return values_[static_cast<size_t>(batch * step_[0] + head * step_[1] + query * step_[2] + key * step_[3])];
  }

 private:
  Buffer<double> values_;
  int64_t step_[4] = {};
};

/// Attention for q [B, S, H, D], k and v [B, T, H', D] at ports 0 to 2; `mask` may be null.
inline void reference_heads(ReferenceArgs& a, double scale, bool causal, const Tensor* mask) {
  const Shape& q = a.shape(0);
  const Shape& k = a.shape(1);
  const Shape& v = a.shape(2);
  require(k[0] == q[0] && v[0] == q[0] && k[1] == v[1] && k[2] == v[2] && k[2] > 0 && q[2] % k[2] == 0,
          ErrorCode::kRunFailure, "q is ", q, ", k ", k, " and v ", v);
  const HeadAttention head{q[1], k[1], q[3], v[3], scale, causal};
  const HeadMask masked(a.context(), mask, q[0], q[2], q[1], k[1]);
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    for (int64_t b = 0; b < q[0]; ++b) {
      for (int64_t h = 0; h < q[2]; ++h) {
        const int64_t shared = h / (q[2] / k[2]);
        const auto rows = [&](int port, const Shape& s, int64_t n) {
          return HeadRows<const T>{a.in(port).data<T>() + (b * s[1] * s[2] + n) * s[3], s[2] * s[3]};
        };
        attend_head<T>(a.context(), head, rows(0, q, h), rows(1, k, shared), rows(2, v, shared),
                       [&](int64_t i, int64_t j) { return masked.at(b, h, i, j); },
                       {a.out(0).data<T>() + (b * q[1] * q[2] + h) * v[3], q[2] * v[3]});
      }
    }
  });
}

}  // namespace coracle::internal
