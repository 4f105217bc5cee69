// SPDX-License-Identifier: Apache-2.0
#include "ops/activation/softmax.h"
#include "ops/attention/attention.h"
#include "ops/elementwise/add.h"
#include "ops/elementwise/scale.h"
#include "ops/matmul/matmul.h"
#include "ops/movement/transpose.h"
#include "passes/passes.h"

/// Scaled dot-product attention written as its formula: softmax(q k^T * scale + mask) v. The scores are the largest
/// tensors of such a model; in one operator they never are whole.
namespace coracle::internal {
namespace {

/// Where a formula multiplies by the scale.
enum class ScaleAt : uint8_t { kNowhere, kQueries, kScores };

/// True if the permutation only swaps the last two dimensions.
bool swaps_matrix(const Ints& perm, int rank) {
  if (rank < 2 || static_cast<int>(perm.size()) != rank) return false;
  for (int i = 0; i < rank; ++i) {
    const int from = i == rank - 1 ? rank - 2 : i == rank - 2 ? rank - 1 : i;
    if (normalize_axis(perm[static_cast<size_t>(i)], rank) != from) return false;
  }
  return true;
}

/// matmul(x, transpose(y)) with the last two dimensions swapped  ->  matmul(x, y) that transposes y itself
Rewrite transposed_operand() {
  Pattern p;
  const auto x = p.any();
  const auto y = p.any();
  const auto swapped = p.op<Transpose>({y});
  const auto product = p.op<Matmul>({x, swapped});
  return {p, product, [=](const Match& m, Patch& patch) {
            const Shape& shape = m.fact(y).shape;
            if (!shape.rank_known() || !swaps_matrix(m[swapped].perm, shape.rank())) return false;
            Matmul op = m[product];
            op.transpose_y = !op.transpose_y;
            patch.replace(m.output(product), patch.add(op, {{m[x]}, {m[y]}}));
            return true;
          }};
}

/// True if the value is one of float32 matrices.
bool is_matrices(const Fact& f) { return f.dtype == DType::kFloat32 && f.shape.rank_known() && f.shape.rank() >= 2; }

Rewrite attention(bool masked, ScaleAt scaled) {
  Pattern p;
  const auto q = p.any();
  const auto k = p.any();
  const auto v = p.any();
  const auto mask = p.any();
  const auto factor = p.constant();
  OpSlot<Scale> scale;
  PatternSlot queries = q;
  if (scaled == ScaleAt::kQueries) queries = scale = p.used_once(p.op<Scale>({q, factor}));
  const auto product = p.used_once(p.op<Matmul>({queries, k}));
  PatternSlot scores = product;
  if (scaled == ScaleAt::kScores) scores = scale = p.used_once(p.op<Scale>({product, factor}));
  if (masked) scores = p.used_once(p.either_order<Add>(scores, mask));
  const auto weights = p.used_once(p.op<Softmax>({scores}));
  const auto out = p.op<Matmul>({weights, v});
  return {
      p, out, [=](const Match& m, Patch& patch) {
        const Matmul& first = m[product];
        const Matmul& second = m[out];
        if (first.transpose_x || !first.transpose_y || second.transpose_x || second.transpose_y) return false;
        if (!is_matrices(m.fact(q)) || !is_matrices(m.fact(k)) || !is_matrices(m.fact(v))) return false;
        const Fact& score = m.fact(scores);
        if (!score.shape.rank_known() || normalize_axis(m[weights].axis, score.shape.rank()) + 1 != score.shape.rank())
          return false;
        Attention op;
        if (scaled != ScaleAt::kNowhere) {
          if (m[scale].bias != 0.0 || m.tensor(factor).count() != 1) return false;
          op.scale = m.tensor(factor).number(0);
        }
        if (masked) {
          const Fact& added = m.fact(mask);
          if (added.dtype != DType::kFloat32 || !added.shape.rank_known()) return false;
          patch.replace(m.output(out), patch.add(op, {{m[q]}, {m[k]}, {m[v]}, {m[mask]}}));
        } else {
          patch.replace(m.output(out), patch.add(op, {{m[q]}, {m[k]}, {m[v]}, {}}));
        }
        return true;
      }};
}

}  // namespace

Pass fuse_attention() {
  Pass pass{.name = "fuse_attention", .rewrites = {transposed_operand()}};
  // Queries that are scaled would also match as those that are not.
  for (const bool masked : {false, true}) {
    for (const ScaleAt scaled : {ScaleAt::kQueries, ScaleAt::kScores, ScaleAt::kNowhere}) {
      pass.rewrites.push_back(attention(masked, scaled));
    }
  }
  return pass;
}

}  // namespace coracle::internal
