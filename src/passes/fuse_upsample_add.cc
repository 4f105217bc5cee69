// SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise/add.h"
#include "ops/elementwise/multiply.h"
#include "ops/interp/nearest_interp_add.h"
#include "passes/passes.h"

/// A feature pyramid adds a coarse level, made larger, to a finer one, whose channels may have been weighted:
///   y + nearest_interp(x)      ->  nearest_interp_add(x, y)
///   y * f + nearest_interp(x)  ->  nearest_interp_add(x, f, y)   for f [n, c, 1, 1]
/// The large copy of x is never written.
namespace coracle {
namespace {

bool is_image(const Fact& f) { return f.dtype == DType::kFloat32 && f.shape.rank_known() && f.shape.rank() == 4; }

bool is_per_channel(const Fact& f) { return is_image(f) && f.shape[2] == 1 && f.shape[3] == 1; }

/// The operator with the operands of `node`, a nearest_interp, and what is added.
ValueId fused(const Node& node, Patch& patch, std::vector<ValueId> factor, ValueId addend) {
  NearestInterpAdd op;
  static_cast<InterpolationOperator&>(op) = *node.op.as<NearestInterp>();
  PortValues inputs;
  size_t next = 0;
  for (int port = 0; port < NearestInterpAdd::kFactor; ++port) {
    inputs.emplace_back();
    for (int i = 0; i < node.input_counts[static_cast<size_t>(port)]; ++i) {
      inputs.back().push_back(node.inputs[next++]);
    }
  }
  inputs.push_back(std::move(factor));
  inputs.push_back({addend});
  return patch.add(op, inputs);
}

Rewrite with_factor() {
  Pattern p;
  const auto small = p.any();
  const auto large = p.used_once(p.op<NearestInterp>({small}));
  const auto y = p.any();
  const auto f = p.any();
  const auto product = p.used_once(p.either_order<Multiply>(y, f));
  const auto sum = p.either_order<Add>(product, large);
  return {p, sum, [=](const Match& m, Patch& patch) {
            if (!is_image(m.fact(large))) return false;
            const bool turned = !is_per_channel(m.fact(f));
            const PatternSlot factor = turned ? y : f;
            const PatternSlot addend = turned ? f : y;
            if (!is_per_channel(m.fact(factor)) || !is_image(m.fact(addend))) return false;
            patch.replace(m.output(sum), fused(m.node(large), patch, {m[factor]}, m[addend]));
            return true;
          }};
}

Rewrite without_factor() {
  Pattern p;
  const auto small = p.any();
  const auto large = p.used_once(p.op<NearestInterp>({small}));
  const auto y = p.any();
  const auto sum = p.either_order<Add>(y, large);
  return {p, sum, [=](const Match& m, Patch& patch) {
            if (!is_image(m.fact(large)) || !is_image(m.fact(y)) || is_per_channel(m.fact(y))) return false;
            patch.replace(m.output(sum), fused(m.node(large), patch, {}, m[y]));
            return true;
          }};
}

}  // namespace

Pass fuse_upsample_add() { return {.name = "fuse_upsample_add", .rewrites = {with_factor(), without_factor()}}; }

}  // namespace coracle
