// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "base/buffer.h"
#include "base/long_loop.h"
#include "ops/detection/boxes.h"
#include "ops/index/sorting.h"
#include "ops/rnn/recurrent.h"

namespace coracle::internal {

/// For each column of a matrix of similarities [K, M] the row it is matched with, -1 for none: again and again the
/// largest similarity of a free row and a free column. Images (offsets of the rows) are matched by themselves.
struct BipartiteMatch {
  enum class Type { kBipartite, kPerPrediction };
  friend std::span<const std::string_view> names_of(Type) {
    static constexpr std::string_view kNames[] = {"bipartite", "per_prediction"};
    return kNames;
  }

  static constexpr const char* kName = "bipartite_match";
  static constexpr const char* kLegacy[] = {"bipartite_match"};
  static constexpr Port kInputs[] = {in("dist_mat", "DistMat")};
  static constexpr Port kOutputs[] = {out("col_to_row_match_indices", "ColToRowMatchIndices"),
                                      out("col_to_row_match_dist", "ColToRowMatchDist")};
  Type match_type = Type::kBipartite;  ///< per_prediction: free columns also get the best row above dist_threshold
  float dist_threshold = 0.5F;
  void attributes(AttributeVisitor& visit) {
    visit("match_type", match_type);
    visit("dist_threshold", dist_threshold);
  }
  friend bool operator==(const BipartiteMatch&, const BipartiteMatch&) = default;
};

inline void infer(const BipartiteMatch&, InferArgs& a) {
  const Shape& x = a.shape(0);
  require(is_float(a.dtype(0)), "dist_mat is ", a.dtype(0), ", expected a real type");
  require(!x.rank_known() || x.rank() == 2, "dist_mat is ", x, ", expected 2 dimensions");
  const Shape y{sequence_count(a.in(0)), x.rank_known() ? x[1] : Shape::kUnknown};
  a.set(0, DType::kInt32, y);
  a.set(1, a.dtype(0), y);
}

/// Matches the rows of one image; `match` (-1) and `similarity` (0) have an element for each column.
inline void match_columns(const RunContext& context, const BipartiteMatch& op, const double* x, int64_t rows,
                          int64_t columns, int64_t* match, double* similarity) {
  constexpr double kLeast = 1e-6F;  // smaller ones never match
  struct Pair {
    double value;
    int64_t row;
    int64_t column;
  };
  Buffer<Pair> pairs(context);
  LoopCheck check(context);
  for (int64_t j = 0; j < columns; ++j) {
    for (int64_t i = 0; i < rows; ++i) {
      check.step();
      if (x[i * columns + j] >= kLeast) pairs.push_back({x[i * columns + j], i, j});
    }
  }
  std::stable_sort(pairs.begin(), pairs.end(), [&](const Pair& p, const Pair& q) {
    step_of_sort(check);
    return p.value > q.value;
  });
  std::vector<bool> taken(static_cast<size_t>(rows), false);
  for (const Pair& p : pairs) {
    check.step(4);
    if (taken[static_cast<size_t>(p.row)] || match[p.column] >= 0) continue;
    taken[static_cast<size_t>(p.row)] = true;
    match[p.column] = p.row;
    similarity[p.column] = p.value;
  }
  if (op.match_type != BipartiteMatch::Type::kPerPrediction) return;
  for (const Pair& p : pairs) {
    check.step(4);
    if (match[p.column] >= 0 || p.value < op.dist_threshold) continue;
    match[p.column] = p.row;
    similarity[p.column] = p.value;
  }
}

inline void reference(const BipartiteMatch& op, ReferenceArgs& a) {
  const int64_t columns = a.shape(0)[1];
  const std::vector<int64_t> offsets = sequence_offsets(a.in(0).lod(), a.shape(0)[0]);
  const Shape y{static_cast<int64_t>(offsets.size()) - 1, columns};
  const Buffer<double> x = a.doubles(0);
  std::vector<int64_t> match(static_cast<size_t>(y.count()), -1);
  Buffer<double> similarity(match.size(), 0.0, a.context());
  for (size_t n = 0; n + 1 < offsets.size(); ++n) {
    const size_t at = n * static_cast<size_t>(columns);
    match_columns(a.context(), op, x.data() + offsets[n] * columns, offsets[n + 1] - offsets[n], columns,
                  match.data() + at, similarity.data() + at);
  }
  a.out(0) = a.make(DType::kInt32, y);
  a.out(0).assign(a.context(), std::span<const int64_t>(match));
  a.out(1) = a.make(a.in(0).dtype(), y);
  a.out(1).assign(a.context(), std::span<const double>(similarity));
}

inline constexpr const OpSchema* bipartite_match_op = &kOpSchema<BipartiteMatch>;

}  // namespace coracle::internal
