// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/buffer.h"
#include "ops/attention/dot_attention.h"

namespace coracle::internal {

/// softmax(q k^T * scale) v for each head of each sequence: q [rows, H, D], k and v [rows, H', D]; cu_seqlens_q and
/// cu_seqlens_k have the offsets of the sequences.
struct FlashAttnUnpadded {
  static constexpr const char* kName = "flash_attn_unpadded";
  static constexpr const char* kLegacy[] = {"flash_attn_unpadded"};
  static constexpr Port kInputs[] = {in("q", "q"),
                                     in("k", "k"),
                                     in("v", "v"),
                                     in("cu_seqlens_q", "cu_seqlens_q"),
                                     in("cu_seqlens_k", "cu_seqlens_k"),
                                     optional_in("fixed_seed_offset", "fixed_seed_offset"),
                                     optional_in("attn_mask", "attn_mask"),
                                     value_in("max_seqlen_q", "max_seqlen_q"),
                                     value_in("max_seqlen_k", "max_seqlen_k")};
  static constexpr Port kOutputs[] = {out("out", "out"), optional_out("softmax", "softmax"),
                                      optional_out("softmax_lse", "softmax_lse"),
                                      optional_out("seed_offset", "seed_offset")};
  double scale = 1;
  bool causal = false;
  void attributes(AttributeVisitor& visit) {
    visit("scale", scale);
    visit("causal", causal);
  }
  friend bool operator==(const FlashAttnUnpadded&, const FlashAttnUnpadded&) = default;
};

inline void infer(const FlashAttnUnpadded&, InferArgs& a) {
  require(!a.has(6), ErrorCode::kUnsupported, "a mask is not supported");
  for (int port : {1, 2, 3}) {
    require(a.out_count(port) == 0, ErrorCode::kUnsupported,
            "only the first result of flash_attn_unpadded is supported");
  }
  infer_heads(a, 3, 1);
}

inline void reference(const FlashAttnUnpadded& op, ReferenceArgs& a) {
  const Shape& q = a.shape(0);
  const Shape& k = a.shape(1);
  const Shape& v = a.shape(2);
  const Buffer<int64_t> of_q = a.integers(3);
  const Buffer<int64_t> of_k = a.integers(4);
  const auto fits = [](const Buffer<int64_t>& offsets, int64_t rows) {
    return !offsets.empty() && offsets.front() == 0 && offsets.back() <= rows &&
           std::is_sorted(offsets.begin(), offsets.end());
  };
  require(k[0] == v[0] && k[1] == v[1] && k[1] > 0 && q[1] % k[1] == 0 && of_q.size() == of_k.size() &&
              fits(of_q, q[0]) && fits(of_k, k[0]),
          ErrorCode::kRunFailure, "q ", q, ", k ", k, ", v ", v, " and their offsets do not fit");
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    T* out = a.out(0).data<T>();
    std::fill_n(out, a.out(0).count(), static_cast<T>(0.0F));
    for (size_t s = 0; s + 1 < of_q.size(); ++s) {
      const HeadAttention head{of_q[s + 1] - of_q[s], of_k[s + 1] - of_k[s], q[2], v[2], op.scale, op.causal};
      for (int64_t h = 0; h < q[1]; ++h) {
        const int64_t shared = h / (q[1] / k[1]);
        const auto rows = [&](int port, const Shape& x, int64_t first, int64_t at) {
          return HeadRows<const T>{a.in(port).data<T>() + (first * x[1] + at) * x[2], x[1] * x[2]};
        };
        attend_head<T>(a.context(), head, rows(0, q, of_q[s], h), rows(1, k, of_k[s], shared),
                       rows(2, v, of_k[s], shared), [](int64_t, int64_t) { return 0.0; },
                       {out + (of_q[s] * q[1] + h) * v[2], q[1] * v[2]});
      }
    }
  });
}

inline constexpr const OpSchema* flash_attn_unpadded_op = &kOpSchema<FlashAttnUnpadded>;

}  // namespace coracle::internal
