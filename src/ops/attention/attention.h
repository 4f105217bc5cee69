// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/buffer.h"
#include "ops/activation/softmax_rows.h"
#include "ops/common/binary.h"

namespace coracle::internal {

/// softmax(q k^T * scale + mask) v over the last two dimensions: q [..., s, d], k [..., t, d], v [..., t, e] and mask
/// [..., s, t], all dimensions broadcast but d and e. Made by rewrites.
struct Attention {
  static constexpr const char* kName = "attention";
  static constexpr Port kInputs[] = {in("q", ""), in("k", ""), in("v", ""), optional_in("mask", "")};
  static constexpr Port kOutputs[] = {out("out", "")};
  double scale = 1.0;
  void attributes(AttributeVisitor& visit) { visit("scale", scale); }
  friend bool operator==(const Attention&, const Attention&) = default;
};

namespace attention_detail {

/// A shape of at least two dimensions with others in place of its last two.
inline Shape with_matrix(Shape s, int64_t rows, int64_t columns) {
  s[s.rank() - 2] = rows;
  s[s.rank() - 1] = columns;
  return s;
}

/// The shape of q k^T + mask.
inline Shape scores(const Shape& q, const Shape& k, const Shape* mask) {
  Shape s = broadcast(with_matrix(q, q[q.rank() - 2], 1), with_matrix(k, 1, k[k.rank() - 2]));
  return mask == nullptr ? s : broadcast(s, *mask);
}

}  // namespace attention_detail

inline void infer(const Attention&, InferArgs& a) {
  constexpr const char* kNames[] = {"q", "k", "v", "mask"};
  require(is_float(a.dtype(0)), "q is ", a.dtype(0), ", expected a real type");
  bool ranks_known = true;
  for (int port : {0, 1, 2, 3}) {
    if (!a.has(port)) continue;
    require(a.dtype(port) == a.dtype(0), kNames[port], " is ", a.dtype(port), ", but q is ", a.dtype(0));
    ranks_known = ranks_known && a.shape(port).rank_known();
    const bool matrices = port == 3 || !a.shape(port).rank_known() || a.shape(port).rank() >= 2;
    require(matrices, kNames[port], " is ", a.shape(port), ", expected at least 2 dimensions");
  }
  if (!ranks_known) return a.set(0, a.dtype(0), Shape::unknown_rank());
  const Shape& q = a.shape(0);
  const Shape& k = a.shape(1);
  const Shape& v = a.shape(2);
  require(compatible(Shape{q.back()}, Shape{k.back()}), "q is ", q, ", but k ", k, "; the last dimensions must agree");
  const Shape scores = attention_detail::scores(q, k, a.has(3) ? &a.shape(3) : nullptr);
  const int rank = scores.rank();
  require(compatible(Shape{scores.back()}, Shape{v[v.rank() - 2]}), "scores are ", scores, ", but v is ", v);
  const Shape leading = broadcast(attention_detail::with_matrix(scores, 1, 1), attention_detail::with_matrix(v, 1, 1));
  a.set(0, a.dtype(0), attention_detail::with_matrix(leading, scores[rank - 2], v.back()));
}

inline void reference(const Attention& op, ReferenceArgs& a) {
  const Shape& y = a.out(0).shape();
  const Shape& q = a.shape(0);
  const Shape& k = a.shape(1);
  const Shape& v = a.shape(2);
  const int64_t depth = q.back();
  const int64_t width = v.back();
  const int64_t rows = y[y.rank() - 2];
  const int64_t seen = v[v.rank() - 2];
  // Where a part [..., i, j] broadcast to the leading dimensions of y and [rows, columns] has the beginning of each of
  // its elements, which are so many numbers.
  const auto offsets = [&](const Shape& part, int64_t of_rows, int64_t columns, int64_t numbers) {
    const Shape all = attention_detail::with_matrix(y, of_rows, columns);
    std::vector<int64_t> at;
    BroadcastWalk(all, all, part).each(a.context(), [&](int64_t, int64_t, int64_t i) { at.push_back(i * numbers); });
    return at;
  };
  using attention_detail::with_matrix;
  const std::vector<int64_t> queries = offsets(with_matrix(q, q[q.rank() - 2], 1), rows, 1, depth);
  const std::vector<int64_t> keys = offsets(with_matrix(k, 1, k[k.rank() - 2]), 1, seen, depth);
  const std::vector<int64_t> values = offsets(with_matrix(v, 1, seen), 1, seen, width);
  const std::vector<int64_t> mask = a.has(3) ? offsets(a.shape(3), rows, seen, 1) : std::vector<int64_t>();
  Buffer<double> row(static_cast<size_t>(seen), a.context());
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    const auto number = [&](int port, int64_t i) { return static_cast<double>(a.in(port).data<T>()[i]); };
    for (size_t r = 0; r < queries.size(); ++r) {
      const size_t matrix = r / static_cast<size_t>(rows) * row.size();  // of the keys and values
      double largest = -std::numeric_limits<double>::infinity();
      for (size_t j = 0; j < row.size(); ++j) {
        double sum = 0;
        for (int64_t d = 0; d < depth; ++d) sum += number(0, queries[r] + d) * number(1, keys[matrix + j] + d);
        row[j] = sum * op.scale + (a.has(3) ? number(3, mask[r * row.size() + j]) : 0.0);
        largest = j == 0 ? row[0] : std::max(largest, row[j]);
      }
      double total = 0;
      const int64_t vectors = !std::is_same_v<T, double> ? softmax_elements_in_vectors(seen) : 0;
      for (size_t j = 0; j < row.size(); ++j) {
        row[j] = std::exp(softmax_exponent(row[j] - largest, static_cast<int64_t>(j) < vectors));
        total += row[j];
      }
      for (int64_t e = 0; e < width; ++e) {
        double sum = 0;
        for (size_t j = 0; j < row.size(); ++j) sum += row[j] * number(2, values[matrix + j] + e);
        a.out(0).data<T>()[static_cast<int64_t>(r) * width + e] = static_cast<T>(row.empty() ? 0.0 : sum / total);
      }
    }
  });
}

/// Queries [..., s, d] meet all keys [..., t, d], and their weights all values [..., t, e].
inline int64_t flops(const Attention&, const NodeFacts& f) {
  const Shape& k = f.shape(1);
  return 2 * (f.shape(0).count() + f.out().shape.count()) * k[k.rank() - 2];
}

inline constexpr const OpSchema* attention_op = &kOpSchema<Attention>;

}  // namespace coracle::internal
