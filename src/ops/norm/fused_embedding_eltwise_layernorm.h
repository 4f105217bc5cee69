// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/elementwise/add.h"
#include "ops/index/embedding.h"
#include "ops/index/lookup_table.h"
#include "ops/norm/layer_norm.h"

namespace coracle::internal {

/// layer_norm of the sum of several embeddings, ids [batch, steps] or [batch, steps, 1]; of a program that was
/// optimised before it was saved.
struct FusedEmbeddingEltwiseLayernorm {
  static constexpr const char* kName = "fused_embedding_eltwise_layernorm";
  static constexpr const char* kLegacy[] = {"fused_embedding_eltwise_layernorm"};
  static constexpr Port kInputs[] = {list_in("ids", "Ids"), list_in("embs", "Embs"), weight_in("bias", "Bias"),
                                     weight_in("scale", "Scale")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static void lower(Lowering& l) {
    const std::vector<ValueId> ids = l.inputs("Ids");
    const std::vector<ValueId> tables = l.inputs("Embs");
    require(!ids.empty() && ids.size() == tables.size(), "there are ", ids.size(), " ids and ", tables.size(),
            " tables");
    ValueId sum = kNoValue;
    for (size_t i = 0; i < ids.size(); ++i) {
      require(ids[i] != kNoValue, "nothing has written the ids ", i);
      const bool column = l.fact(ids[i]).shape.rank_known() && l.fact(ids[i]).shape.rank() == 3;
      const Op embed = column ? Op(LookupTable{}) : Op(Embedding{});
      const ValueId y = l.add(embed, {{ids[i]}, {tables[i]}});
      sum = sum == kNoValue ? y : l.add(Add{}, {{sum}, {y}});
    }
    const LayerNorm norm{.epsilon = l.attribute<double>("epsilon", 1e-5), .begin_norm_axis = 2};
    l.bind("Out", l.add(norm, {{sum}, {l.input("Scale")}, {l.input("Bias")}}));
  }
  friend bool operator==(const FusedEmbeddingEltwiseLayernorm&, const FusedEmbeddingEltwiseLayernorm&) = default;
};

inline constexpr const OpSchema* fused_embedding_eltwise_layernorm_op = &kOpSchema<FusedEmbeddingEltwiseLayernorm>;

}  // namespace coracle::internal
