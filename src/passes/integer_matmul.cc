// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <utility>

#include "ops/elementwise/scale.h"
#include "ops/matmul/matmul.h"
#include "ops/movement/transpose.h"
#include "ops/quantize/integer_linear.h"
#include "passes/integer_stages.h"

///   matmul(fake_quantize_dequantize(x), fake_quantize_dequantize(y))  ->  integer_linear(to_int8(x), to_int8(y))
/// which takes a scale behind it along.
namespace coracle::internal {
namespace {

/// The operands of a product of two rounded values, or why it stays in float32.
struct RoundedPair {
  const char* reason = nullptr;
  Rounded x = {};
  Rounded y = {};
};

RoundedPair operands_of_matmul(const Graph& graph, const Node& node) {
  RoundedPair pair;
  Rounded* const operands[] = {&pair.x, &pair.y};
  for (size_t i = 0; i < 2; ++i) {
    const Shape& shape = graph.fact(node.input(static_cast<int>(i))).shape;
    if (!shape.rank_known() || shape.rank() < 2) return {.reason = "no operator on integers for vectors"};
    RoundedOperand found = rounded_operand(graph, node.input(static_cast<int>(i)));
    if (found.reason != nullptr) return {.reason = found.reason};
    *operands[i] = std::move(found.x);
  }
  return pair;
}

/// The permutation that swaps the last two dimensions.
Transpose swapped_matrices(int rank) {
  Transpose op;
  for (int i = 0; i < rank; ++i) op.perm.push_back(i);
  std::swap(op.perm[static_cast<size_t>(rank) - 1], op.perm[static_cast<size_t>(rank) - 2]);
  return op;
}

/// The one step of a product that multiplies by a number.
bool only_multiplies(const Node& node) {
  const std::vector<EpilogueStep>& steps = *node.op.epilogue();
  return steps.size() == 1 && steps[0].kind == EpilogueKind::kScaleShift && steps[0].b == 0;
}

}  // namespace

Rewrite integer_matmul(const std::shared_ptr<Int8Values>& made) {
  Pattern p;
  const auto product = p.op<Matmul>({});
  return {p, product, [=](const Match& m, Patch& patch) {
            const Matmul matmul = m[product];
            const RoundedPair pair = operands_of_matmul(m.graph(), m.node(product));
            if (pair.reason != nullptr) return false;
            const int rank = m.fact(m.node(product).input(0)).shape.rank();
            Int8Operands int8(patch, made);
            const ValueId x = int8.value_of(pair.x);
            const ValueId y = int8.value_of(pair.y);
            const ValueId rows = matmul.transpose_x ? patch.add(swapped_matrices(rank), {{x}}) : x;
            IntegerLinear integer;
            integer.transpose_w = matmul.transpose_y;
            integer.epilogue = {{EpilogueKind::kScaleShift, static_cast<float>(pair.x.step * pair.y.step), 0}};
            return int8.replace(m.output(product), patch.add(integer, {{rows}, {y}, {}}));
          }};
}

Rewrite scaled_integer_matmul() {
  Pattern p;
  const auto product = p.used_once(p.where(p.op<IntegerLinear>({}), only_multiplies));
  const auto factor = p.where(p.constant(), [](const Fact& f) { return f.value->count() == 1; });
  const auto scale = p.op<Scale>({product, factor});
  return {p, scale, [=](const Match& m, Patch& patch) {
            IntegerLinear scaled = m[product];
            float& by = scaled.epilogue[0].a;
            by = static_cast<float>(m.tensor(factor).number(0) * static_cast<double>(by));
            if (m[scale].bias != 0 || !std::isfinite(by)) return false;
            patch.replace(m.output(scale), patch.add(scaled, operands_of(m.node(product))));
            return true;
          }};
}

const char* why_no_integer_matmul(const Graph& graph, const Node& node) {
  return operands_of_matmul(graph, node).reason;
}

}  // namespace coracle::internal
