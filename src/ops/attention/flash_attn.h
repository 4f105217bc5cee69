// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/attention/dot_attention.h"

namespace coracle::internal {

/// softmax(q k^T / sqrt(D) + attn_mask) v for each head: q [B, S, H, D], k and v [B, T, H', D], the mask broadcasts to
/// [B, H, S, T]. H' may divide H; then each of k's heads serves several of q's.
struct FlashAttn {
  static constexpr const char* kName = "flash_attn";
  static constexpr const char* kLegacy[] = {"flash_attn"};
  static constexpr Port kInputs[] = {in("q", "q"), in("k", "k"), in("v", "v"),
                                     optional_in("fixed_seed_offset", "fixed_seed_offset"),
                                     optional_in("attn_mask", "attn_mask")};
  static constexpr Port kOutputs[] = {out("out", "out"), optional_out("softmax", "softmax"),
                                      optional_out("softmax_lse", "softmax_lse"),
                                      optional_out("seed_offset", "seed_offset")};
  bool causal = false;
  void attributes(AttributeVisitor& visit) { visit("causal", causal); }
  friend bool operator==(const FlashAttn&, const FlashAttn&) = default;
};

inline void infer(const FlashAttn&, InferArgs& a) {
  for (int port : {1, 2, 3}) {
    require(a.out_count(port) == 0, ErrorCode::kUnsupported, "only the first result of flash_attn is supported");
  }
  infer_heads(a, 4, 2);
}

inline void reference(const FlashAttn& op, ReferenceArgs& a) {
  reference_heads(a, 1.0 / std::sqrt(static_cast<double>(a.shape(0)[3])), op.causal, a.has(4) ? &a.in(4) : nullptr);
}

inline constexpr const OpSchema* flash_attn_op = &kOpSchema<FlashAttn>;

}  // namespace coracle::internal
