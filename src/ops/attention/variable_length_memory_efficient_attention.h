// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/buffer.h"
#include "ops/attention/dot_attention.h"

namespace coracle::internal {

/// softmax(q k^T * scale + mask) v for each head: query [B, H, S, D], key and value [B, H', T, D], of which the first
/// seq_lens[b] and kv_seq_lens[b] + pre_cache_length rows count. Other rows of the result are 0.
struct VariableLengthMemoryEfficientAttention {
  static constexpr const char* kName = "variable_length_memory_efficient_attention";
  static constexpr const char* kLegacy[] = {"variable_length_memory_efficient_attention"};
  static constexpr Port kInputs[] = {in("query", "query"),
                                     in("key", "key"),
                                     in("value", "value"),
                                     in("seq_lens", "seq_lens"),
                                     in("kv_seq_lens", "kv_seq_lens"),
                                     optional_in("mask", "mask")};
  static constexpr Port kOutputs[] = {out("out", "out")};
  double scale = 1;
  bool causal = false;
  int64_t pre_cache_length = 0;
  void attributes(AttributeVisitor& visit) {
    visit("scale", scale);
    visit("causal", causal);
    visit("pre_cache_length", pre_cache_length);
  }
  friend bool operator==(const VariableLengthMemoryEfficientAttention&,
                         const VariableLengthMemoryEfficientAttention&) = default;
};

inline void infer(const VariableLengthMemoryEfficientAttention& op, InferArgs& a) {
  require(op.pre_cache_length >= 0, "pre_cache_length is ", op.pre_cache_length);
  for (int port : {3, 4}) {
    require(is_integer(a.dtype(port)), "lengths are ", a.dtype(port), ", expected integers");
    require(!a.shape(port).known() || !a.shape(0).rank_known() || a.shape(0)[0] < 0 ||
                a.shape(port).count() == a.shape(0)[0],
            "lengths are ", a.shape(port), ", but query ", a.shape(0));
  }
  infer_heads(a, 4, 1);
}

inline void reference(const VariableLengthMemoryEfficientAttention& op, ReferenceArgs& a) {
  const Shape& q = a.shape(0);
  const Shape& k = a.shape(1);
  const Shape& v = a.shape(2);
  require(k[0] == q[0] && v[0] == q[0] && k[1] == v[1] && k[2] == v[2] && k[1] > 0 && q[1] % k[1] == 0,
          ErrorCode::kRunFailure, "query is ", q, ", key ", k, " and value ", v);
  const Buffer<int64_t> lengths = a.integers(3);
  const Buffer<int64_t> key_lengths = a.integers(4);
  const HeadMask masked(a.context(), a.has(5) ? &a.in(5) : nullptr, q[0], q[1], q[2], k[2]);
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    T* out = a.out(0).data<T>();
    std::fill_n(out, a.out(0).count(), static_cast<T>(0.0F));
    for (int64_t b = 0; b < q[0]; ++b) {
      const auto n = static_cast<size_t>(b);
      const HeadAttention head{.queries = std::clamp<int64_t>(lengths[n], 0, q[2]),
                               .keys = std::clamp<int64_t>(key_lengths[n] + op.pre_cache_length, 0, k[2]),
                               .depth = q[3],
                               .width = v[3],
                               .scale = op.scale,
                               .causal = op.causal};
      for (int64_t h = 0; h < q[1]; ++h) {
        const int64_t shared = h / (q[1] / k[1]);
        const auto rows = [&](int port, const Shape& s, int64_t at) {
          return HeadRows<const T>{a.in(port).data<T>() + (b * s[1] + at) * s[2] * s[3], s[3]};
        };
        attend_head<T>(a.context(), head, rows(0, q, h), rows(1, k, shared), rows(2, v, shared),
                       [&](int64_t i, int64_t j) { return masked.at(b, h, i, j); },
                       {out + (b * q[1] + h) * q[2] * v[3], v[3]});
      }
    }
  });
}

inline constexpr const OpSchema* variable_length_memory_efficient_attention_op =
    &kOpSchema<VariableLengthMemoryEfficientAttention>;

}  // namespace coracle::internal
