// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "ops/common/binary.h"

namespace coracle {

/// softmax(q k^T * scale + mask) v over the last two dimensions: q [..., s, d], k [..., t, d], v [..., t, e]; the
/// leading dimensions are the same, mask broadcasts to [..., s, t]. Made by rewrites.
struct Attention {
  static constexpr const char* kName = "attention";
  static constexpr Port kInputs[] = {in("q", ""), in("k", ""), in("v", ""), optional_in("mask", "")};
  static constexpr Port kOutputs[] = {out("out", "")};
  double scale = 1.0;
  void attributes(AttributeVisitor& visit) { visit("scale", scale); }
  friend bool operator==(const Attention&, const Attention&) = default;
};

inline void infer(const Attention&, InferArgs& a) {
  require(is_float(a.dtype(0)), "q is ", a.dtype(0), ", expected a real type");
  for (int port : {1, 2, 3}) {
    if (!a.has(port)) continue;
    require(a.dtype(port) == a.dtype(0), "an operand is ", a.dtype(port), ", but q is ", a.dtype(0));
  }
  const Shape& q = a.shape(0);
  const Shape& k = a.shape(1);
  const Shape& v = a.shape(2);
  Shape y = q;
  if (q.rank_known()) {
    require(q.rank() >= 2, "q ", q, " has ", q.rank(), " dimensions, expected at least 2");
    require(!v.rank_known() || v.rank() == q.rank(), "q ", q, " and v ", v, " differ in rank");
    y[q.rank() - 1] = v.rank_known() ? v.back() : Shape::kUnknown;
    Shape keys = q;
    keys[q.rank() - 2] = Shape::kUnknown;
    require(compatible(keys, k), "q ", q, " and k ", k, " do not fit");
  }
  if (k.rank_known() && v.rank_known()) {
    require(k.rank() >= 2, "k ", k, " has ", k.rank(), " dimensions, expected at least 2");
    Shape values = k;
    values[k.rank() - 1] = Shape::kUnknown;
    require(compatible(values, v), "k ", k, " and v ", v, " do not fit");
  }
  if (a.has(3) && q.rank_known() && k.rank_known()) {
    Shape scores = q;
    scores[q.rank() - 1] = k[k.rank() - 2];
    require(compatible(broadcast(scores, a.shape(3)), scores), "mask ", a.shape(3), " does not fit ", scores);
  }
  a.set(0, a.dtype(0), y);
}

inline void reference(const Attention& op, ReferenceArgs& a) {
  const Shape& q = a.shape(0);
  const int rank = q.rank();
  const int64_t queries = q[rank - 2];
  const int64_t keys = a.shape(1)[rank - 2];
  const int64_t depth = q[rank - 1];
  const int64_t width = a.shape(2)[rank - 1];
  Shape scores = q;
  scores[rank - 1] = keys;
  std::vector<int64_t> mask_at;
  if (a.has(3)) {
    mask_at.resize(static_cast<size_t>(scores.count()));
    BroadcastWalk(scores, scores, a.shape(3)).each([&](int64_t i, int64_t, int64_t m) {
      mask_at[static_cast<size_t>(i)] = m;
    });
  }
  std::vector<double> row(static_cast<size_t>(keys));
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    for (int64_t i = 0; i < q.count(0, rank - 1); ++i) {
      const int64_t batch = i / queries;
      double largest = -std::numeric_limits<double>::infinity();
      for (int64_t j = 0; j < keys; ++j) {
        const T* x = a.in(0).data<T>() + i * depth;
        const T* k = a.in(1).data<T>() + (batch * keys + j) * depth;
        double sum = 0;
        for (int64_t d = 0; d < depth; ++d) sum += static_cast<double>(x[d]) * static_cast<double>(k[d]);
        sum *= op.scale;
        if (a.has(3)) sum += static_cast<double>(a.in(3).data<T>()[mask_at[static_cast<size_t>(i * keys + j)]]);
        row[static_cast<size_t>(j)] = sum;
        largest = std::max(largest, sum);
      }
      double total = 0;
      for (double& s : row) {
        s = std::exp(s - largest);
        total += s;
      }
      for (int64_t e = 0; e < width; ++e) {
        double sum = 0;
        for (int64_t j = 0; j < keys; ++j) {
          sum += row[static_cast<size_t>(j)] * static_cast<double>(a.in(2).data<T>()[(batch * keys + j) * width + e]);
        }
        a.out(0).data<T>()[i * width + e] = static_cast<T>(sum / total);
      }
    }
  });
}

inline constexpr const OpRow* attention_op = &kOpRow<Attention>;

}  // namespace coracle
