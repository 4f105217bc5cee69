// SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise/add.h"
#include "ops/elementwise/multiply.h"
#include "ops/interp/nearest_interp_add.h"
#include "passes/images.h"
#include "passes/passes.h"

/// A feature pyramid adds a coarse level, made larger, to a finer one, whose channels may have been weighted:
///   y + nearest_interp(x)      ->  nearest_interp_add(x, y)
///   y * f + nearest_interp(x)  ->  nearest_interp_add(x, f, y)   for f [n, c, 1, 1]
/// The large copy of x is never written.
namespace coracle::internal {
namespace {

/// The operator with the operands of `node`, a nearest_interp, and what is added.
ValueId fused(const Node& node, Patch& patch, std::vector<ValueId> factor, ValueId addend) {
  NearestInterpAdd op;
  static_cast<InterpolationOperator&>(op) = *node.op.as<NearestInterp>();
  PortValues inputs = operands_of(node);
  inputs.push_back(std::move(factor));
  inputs.push_back({addend});
  return patch.add(op, inputs);
}

Rewrite with_factor() {
  Pattern p;
  const auto small = p.any();
  const auto large = p.used_once(p.where(p.op<NearestInterp>({small}), is_image));
  const auto y = p.where(p.any(), is_image);
  const auto f = p.where(p.any(), is_per_channel);
  const auto product = p.used_once(p.either_order<Multiply>(y, f));
  const auto sum = p.either_order<Add>(product, large);
  return {p, sum, [=](const Match& m, Patch& patch) {
            patch.replace(m.output(sum), fused(m.node(large), patch, {m[f]}, m[y]));
            return true;
          }};
}

Rewrite without_factor() {
  Pattern p;
  const auto small = p.any();
  const auto large = p.used_once(p.where(p.op<NearestInterp>({small}), is_image));
  const auto y = p.where(p.any(), [](const Fact& f) { return is_image(f) && !is_per_channel(f); });
  const auto sum = p.either_order<Add>(y, large);
  return {p, sum, [=](const Match& m, Patch& patch) {
            patch.replace(m.output(sum), fused(m.node(large), patch, {}, m[y]));
            return true;
          }};
}

}  // namespace

Pass fuse_upsample_add() { return {.name = "fuse_upsample_add", .rewrites = {with_factor(), without_factor()}}; }

}  // namespace coracle::internal
