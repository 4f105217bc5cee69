// SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/linear.h"
#include "ops/matmul/matmul.h"
#include "ops/matmul/matmul_with_flatten.h"
#include "ops/shape/flatten.h"
#include "passes/narrow_weights.h"
#include "passes/passes.h"

namespace coracle::internal {
namespace {

bool is_real_matrix(const Match& m, PatternSlot w) {
  const Fact& f = m.fact(w);
  return f.dtype == DType::kFloat32 && f.shape.rank_known() && f.shape.rank() == 2 &&
         is_constant_weight(m.graph(), m[w]);
}

/// matmul(x, w) for a constant matrix w  ->  linear(x, w)
Rewrite from_matmul() {
  Pattern p;
  const auto x = p.any();
  const auto w = p.any();
  const auto product = p.op<Matmul>({x, w});
  return {p, product, [=](const Match& m, Patch& patch) {
            const Matmul& op = m[product];
            const Shape& shape = m.fact(x).shape;
            if (op.transpose_x || !is_real_matrix(m, w) || !shape.rank_known() || shape.rank() < 2) return false;
            Linear linear;
            linear.transpose_w = op.transpose_y;
            patch.replace(m.output(product), patch.add(linear, {{m[x]}, {m[w]}, {}}));
            return true;
          }};
}

/// matmul_with_flatten(x, w) for a constant matrix w  ->  linear(flatten(x), w)
Rewrite from_matmul_with_flatten() {
  Pattern p;
  const auto x = p.any();
  const auto w = p.any();
  const auto product = p.op<MatmulWithFlatten>({x, w});
  return {p, product, [=](const Match& m, Patch& patch) {
            const MatmulWithFlatten& op = m[product];
            const Shape& shape = m.fact(x).shape;
            if (op.y_num_col_dims != 1 || !is_real_matrix(m, w) || !shape.rank_known()) return false;
            ValueId rows = m[x];
            if (shape.rank() > op.x_num_col_dims + 1) {
              Flatten flatten;
              flatten.start_axis = static_cast<int>(op.x_num_col_dims);
              flatten.stop_axis = -1;
              rows = patch.add(flatten, {{rows}});
            }
            patch.replace(m.output(product), patch.add(Linear{}, {{rows}, {m[w]}, {}}));
            return true;
          }};
}

}  // namespace

Pass fuse_linear() { return {.name = "fuse_linear", .rewrites = {from_matmul(), from_matmul_with_flatten()}}; }

}  // namespace coracle::internal
