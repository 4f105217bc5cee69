// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/attention/dot_attention.h"

namespace coracle::internal {

/// softmax(q k^T * scale + bias) v for each head: query [B, S, H, D], key and value [B, T, H', D]. A scale that is not
/// positive stands for 1 / sqrt(D).
struct MemoryEfficientAttention {
  static constexpr const char* kName = "memory_efficient_attention";
  static constexpr const char* kLegacy[] = {"memory_efficient_attention"};
  static constexpr Port kInputs[] = {in("query", "query"),
                                     in("key", "key"),
                                     in("value", "value"),
                                     optional_in("bias", "bias"),
                                     optional_in("cu_seqlens_q", "cu_seqlens_q"),
                                     optional_in("cu_seqlens_k", "cu_seqlens_k"),
                                     optional_in("causal_diagonal", "causal_diagonal"),
                                     optional_in("seqlen_k", "seqlen_k"),
                                     value_in("max_seqlen_q", "max_seqlen_q", "MaxSeqlenQTensor"),
                                     value_in("max_seqlen_k", "max_seqlen_k", "MaxSeqlenKTensor")};
  static constexpr Port kOutputs[] = {out("output", "output"), optional_out("logsumexp", "logsumexp"),
                                      optional_out("seed_and_offset", "seed_and_offset")};
  bool causal = false;
  double scale = -1;
  void attributes(AttributeVisitor& visit) {
    visit("causal", causal);
    visit("scale", scale);
  }
  friend bool operator==(const MemoryEfficientAttention&, const MemoryEfficientAttention&) = default;
};

inline void infer(const MemoryEfficientAttention&, InferArgs& a) {
  for (int port : {4, 5, 6, 7}) {
    require(!a.has(port), ErrorCode::kUnsupported, "sequences of different lengths are not supported");
  }
  require(a.out_count(1) == 0 && a.out_count(2) == 0, ErrorCode::kUnsupported,
          "only the first result of memory_efficient_attention is supported");
  infer_heads(a, 4, 2);
}

inline void reference(const MemoryEfficientAttention& op, ReferenceArgs& a) {
  const double scale = op.scale > 0 ? op.scale : 1.0 / std::sqrt(static_cast<double>(a.shape(0)[3]));
  reference_heads(a, scale, op.causal, a.has(3) ? &a.in(3) : nullptr);
}

inline constexpr const OpSchema* memory_efficient_attention_op = &kOpSchema<MemoryEfficientAttention>;

}  // namespace coracle::internal
