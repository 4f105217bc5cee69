// SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise/add.h"
#include "ops/elementwise/multiply.h"
#include "ops/elementwise/scale.h"
#include "passes/fake_quantization.h"
#include "passes/passes.h"

/// Takes x out of a sum where its other factor is small, as in a squeeze-and-excitation with a residual:
///   x + x * s  ->  x * (s + 1)
/// One pass over x is left of two, and s + 1 joins the epilogue of what makes s.
namespace coracle::internal {
namespace {

/// True if s has fewer elements than x: somewhere one where x may have more.
bool is_smaller(const Shape& s, const Shape& x) {
  if (!s.rank_known() || !x.rank_known() || s.rank() > x.rank()) return false;
  if (s.rank() < x.rank()) return true;
  for (int d = 0; d < s.rank(); ++d) {
    if (s[d] == 1 && x[d] != 1) return true;
  }
  return false;
}

Rewrite from_sum() {
  Pattern p;
  const auto x = p.any();
  const auto s = p.any();
  const auto product = p.used_once(p.either_order<Multiply>(x, s));
  const auto sum = p.either_order<Add>(x, product);
  return {p, sum, [=](const Match& m, Patch& patch) {
            if (m.fact(x).dtype != DType::kFloat32 || !is_smaller(m.fact(s).shape, m.fact(x).shape)) return false;
            if (has_fake_quantization(m.graph())) return false;
            Scale more;
            more.bias = 1;
            patch.replace(m.output(sum), patch.add(Multiply{}, {{m[x]}, {patch.add(more, {{m[s]}, {}})}}));
            return true;
          }};
}

}  // namespace

Pass common_factor() { return {.name = "common_factor", .rewrites = {from_sum()}}; }

}  // namespace coracle::internal
