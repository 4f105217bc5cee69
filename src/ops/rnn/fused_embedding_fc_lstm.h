// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "graph/lowering.h"
#include "ops/elementwise/multiply.h"
#include "ops/index/lookup_table.h"
#include "ops/rnn/lstm.h"

namespace coracle::internal {

/// lstm() over rows of a table that already holds the products with the input and the first bias, of a program that was
/// optimised before it was saved. Of bias only the weights of the cell count.
struct FusedEmbeddingFcLstm {
  static constexpr const char* kName = "fused_embedding_fc_lstm";
  static constexpr const char* kLegacy[] = {"fused_embedding_fc_lstm"};
  static constexpr Port kInputs[] = {in("ids", "Ids"),
                                     weight_in("embeddings", "Embeddings"),
                                     weight_in("weight_h", "WeightH"),
                                     weight_in("bias", "Bias"),
                                     optional_in("h0", "H0"),
                                     optional_in("c0", "C0")};
  static constexpr Port kOutputs[] = {out("hidden", "Hidden"), out("cell", "Cell")};
  static void lower(Lowering& l) {
    const ValueId x = l.add(LookupTable{}, {{l.input("Ids")}, {l.input("Embeddings")}});
    const Shape& w = l.fact(l.input("WeightH")).shape;
    require(w.known() && w.rank() == 2 && w[0] <= 1 << 20, "WeightH is ", w, ", expected a matrix");
    const auto lstm = l.read<Lstm>();
    std::vector<float> mask(static_cast<size_t>(lstm.use_peepholes ? 7 * w[0] : 4 * w[0]), 1.0F);
    std::fill_n(mask.begin(), static_cast<size_t>(4 * w[0]), 0.0F);
    const ValueId of_cell =
        l.constant(Tensor::of<float>(Shape{1, static_cast<int64_t>(mask.size())}, std::span<const float>(mask)));
    const ValueId bias = l.add(Multiply{}, {{l.input("Bias")}, {of_cell}});
    const auto optional = [&](std::string_view slot) {
      return l.has(slot) ? std::vector<ValueId>{l.input(slot)} : std::vector<ValueId>{};
    };
    const NodeId node =
        l.add_node(lstm, {{x}, optional("H0"), optional("C0"), {l.input("WeightH")}, {bias}}, {1, 1, 0, 0});
    l.bind("Hidden", l.graph().node(node).output(0));
    l.bind("Cell", l.graph().node(node).output(1));
  }
  friend bool operator==(const FusedEmbeddingFcLstm&, const FusedEmbeddingFcLstm&) = default;
};

inline constexpr const OpSchema* fused_embedding_fc_lstm_op = &kOpSchema<FusedEmbeddingFcLstm>;

}  // namespace coracle::internal
