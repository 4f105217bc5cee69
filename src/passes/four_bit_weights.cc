// SPDX-License-Identifier: Apache-2.0
#include "passes/four_bit_weights.h"

#include <algorithm>
#include <cmath>

#include "graph/pattern.h"
#include "ops/elementwise/cast.h"
#include "ops/elementwise/multiply.h"
#include "ops/index/embedding.h"
#include "ops/quantize/weight_packing.h"
#include "ops/shape/reshape.h"

namespace coracle::internal {
namespace {

constexpr int64_t kBytes = 256;
/// Columns that weight_only_linear packs together.
constexpr int64_t kTogether = 8;

bool is_table_of_halves(const Fact& f) {
  if (f.value == nullptr || f.dtype != DType::kFloat32 || f.shape != Shape{kBytes, 2}) return false;
  const auto* halves = f.value->data<float>();
  for (int64_t b = 0; b < kBytes; ++b) {
    const int64_t low = b % 16 - 8;
    const int64_t high = b / 16 - 8;
    if (halves[2 * b] != static_cast<float>(low) || halves[2 * b + 1] != static_cast<float>(high)) return false;
  }
  return true;
}

bool are_steps(const Fact& f) {
  if (f.value == nullptr || f.dtype != DType::kFloat32 || f.shape.rank() != 4 || f.shape.count() == 0) return false;
  const std::span<const float> steps(f.value->data<float>(), static_cast<size_t>(f.shape.count()));
  return std::all_of(steps.begin(), steps.end(), [](float s) { return std::isfinite(s * 8); });
}

bool are_bytes(const Fact& f) {
  return f.value != nullptr && f.dtype == DType::kUint8 && f.shape.rank() == 3 && f.shape.count() != 0;
}

bool are_ids(const Fact& f) { return f.dtype == DType::kInt32 || f.dtype == DType::kInt64; }

bool is_float_matrix(const Fact& f) { return f.dtype == DType::kFloat32 && f.shape.known() && f.shape.rank() == 2; }

/// reshape(multiply(embedding(cast(bytes), table), steps))
struct Formula {
  Pattern p;
  PatternSlot bytes = p.where(p.any(), are_bytes);
  PatternSlot ids = p.used_once(p.where(p.op<Cast>({bytes}), are_ids));
  OpSlot<Embedding> rows = p.used_once(p.op<Embedding>({ids, p.where(p.any(), is_table_of_halves)}));
  PatternSlot steps = p.where(p.any(), are_steps);
  PatternSlot product = p.used_once(p.either_order<Multiply>(rows, steps));
  PatternSlot matrix = p.where(p.op<Reshape>({product}), is_float_matrix);
};

}  // namespace

std::optional<FourBitWeights> FourBitWeights::of_value(const Graph& graph, const std::vector<int>& uses,
                                                       ValueId value) {
  static const Formula kFormula;
  Match m(graph, uses);
  if (!m.match(kFormula.p, kFormula.matrix, value) || m[kFormula.rows].padding_idx != -1) return std::nullopt;
  FourBitWeights f{.bytes = m[kFormula.bytes],
                   .steps = m[kFormula.steps],
                   .between = {m[kFormula.ids], m.output(kFormula.rows), m[kFormula.product]}};
  const Shape& w = graph.fact(value).shape;
  const Shape& s = graph.fact(f.steps).shape;
  const Shape& b = graph.fact(f.bytes).shape;
  const auto is = [&](int64_t columns, int64_t groups, int64_t group, const Shape& matrix, const Shape& steps) {
    f.depth = groups * group;
    f.columns = columns;
    f.group = group;
    return w == matrix && s == steps;
  };
  if (!is(b[2] * 2, b[0], b[1], Shape{b[0] * b[1], b[2] * 2}, Shape{b[0], 1, b[2], 2})) {
    f.transposed = true;
    if (!is(b[0], b[1], b[2] * 2, Shape{b[0], b[1] * b[2] * 2}, Shape{b[0], b[1], 1, 1})) return std::nullopt;
  }
  if (f.columns % kTogether != 0) return std::nullopt;
  return f;
}

Tensor FourBitWeights::packed(const Graph& graph) const {
  const auto* from = graph.fact(bytes).value->data<uint8_t>();
  std::vector<int8_t> whole(static_cast<size_t>(depth * columns));
  for (int64_t i = 0; i < depth * columns; ++i) {
    const int64_t at = transposed ? i % depth * columns + i / depth : i;
    whole[static_cast<size_t>(at)] = static_cast<int8_t>((from[i / 2] >> (i % 2 * 4) & 15) - 8);
  }
  Tensor t = Tensor::make(DType::kInt8, Shape{columns / 2, depth});
  pack_weight(weight_packing("weight_only_int4", kArchitecture), whole, depth, columns, t.data<int8_t>());
  return t;
}

Tensor FourBitWeights::scales(const Graph& graph) const {
  const Tensor& from = *graph.fact(steps).value;
  const int64_t groups = depth / group;
  if (!transposed) return from.reshaped(Shape{groups, columns});
  Tensor t = Tensor::make(DType::kFloat32, Shape{groups, columns});
  for (int64_t c = 0; c < columns; ++c) {
    for (int64_t g = 0; g < groups; ++g) t.data<float>()[g * columns + c] = from.data<float>()[c * groups + g];
  }
  return t;
}

bool reads_by_bytes(const Graph& graph, const Node& node) {
  return node.op.is<Embedding>() && graph.fact(node.input(1)).shape == Shape{kBytes, 2};
}

}  // namespace coracle::internal
