// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "base/buffer.h"
#include "graph/op.h"

namespace coracle::internal {

/// Rotary position embedding of q, k and v [batch, steps, heads, D] (time_major: [steps, batch, heads, D]): pairs of
/// neighbours, or element i and i + D / 2 without use_neox_rotary_style, are turned by an angle for each step. sin and
/// cos are [steps, D] or [1, steps, 1, D]; without them angle i is step * base^(-2 i / D). position_ids [batch, steps]
/// name the rows of the angles.
struct FusedRotaryPositionEmbedding {
  static constexpr const char* kName = "fused_rotary_position_embedding";
  static constexpr const char* kLegacy[] = {"fused_rotary_position_embedding"};
  static constexpr Port kInputs[] = {in("q", "q"),
                                     optional_in("k", "k"),
                                     optional_in("v", "v"),
                                     optional_in("sin", "sin"),
                                     optional_in("cos", "cos"),
                                     optional_in("position_ids", "position_ids")};
  static constexpr Port kOutputs[] = {out("out_q", "out_q"), optional_out("out_k", "out_k"),
                                      optional_out("out_v", "out_v")};
  bool use_neox_rotary_style = true;
  bool time_major = false;
  double rotary_emb_base = 10000;
  void attributes(AttributeVisitor& visit) {
    visit("use_neox_rotary_style", use_neox_rotary_style);
    visit("time_major", time_major);
    visit("rotary_emb_base", rotary_emb_base);
  }
  friend bool operator==(const FusedRotaryPositionEmbedding&, const FusedRotaryPositionEmbedding&) = default;
};

inline void infer(const FusedRotaryPositionEmbedding& op, InferArgs& a) {
  require(a.has(3) == a.has(4), "sin and cos must both be given, or none");
  for (int port = 0; port < 3; ++port) {
    if (!a.has(port)) continue;
    const Shape& x = a.shape(port);
    require(is_float(a.dtype(port)), "an operand is ", a.dtype(port), ", expected a real type");
    require(!x.rank_known() || (x.rank() == 4 && x[3] % 2 == 0), "an operand is ", x,
            ", expected [batch, steps, heads, D] with an even D");
    a.set(port, a.dtype(port), x);
    if (!x.known() || !a.has(3)) continue;
    if (x[3] == 0) continue;
    const int64_t steps = x[op.time_major ? 0 : 1];
    for (int table : {3, 4}) {
      const Shape& s = a.shape(table);
      if (!s.known()) continue;
      require(s.count() % x[3] == 0 && (a.has(5) || s.count() >= steps * x[3]), table == 3 ? "sin" : "cos", " is ", s,
              " for ", x);
    }
    if (a.has(5) && a.shape(5).known()) {
      require(a.shape(5).count() == x[op.time_major ? 1 : 0] * steps, "position_ids are ", a.shape(5), " for ", x);
    }
  }
}

inline void reference(const FusedRotaryPositionEmbedding& op, ReferenceArgs& a) {
  const std::vector<int64_t> ids = a.has(5) ? a.in(5).integers(a.context()) : std::vector<int64_t>{};
  const Buffer<double> sines = a.has(3) ? a.doubles(3) : Buffer<double>(a.context());
  const Buffer<double> cosines = a.has(4) ? a.doubles(4) : Buffer<double>(a.context());
  for (int port = 0; port < 3; ++port) {
    if (!a.has(port) || !a.wants(port)) continue;
    const Shape& s = a.shape(port);
    const int64_t batch = s[op.time_major ? 1 : 0];
    const int64_t steps = s[op.time_major ? 0 : 1];
    const int64_t width = s[3];
    const Buffer<double> x = a.doubles(port);
    Buffer<double> y(x.size(), a.context());
    const auto angle = [&](int64_t row, int64_t i) {
      if (a.has(3)) {
        const auto at = static_cast<size_t>(row * width + i);
        require(row >= 0 && at < sines.size() && at < cosines.size(), ErrorCode::kRunFailure, "position ", row,
                " is not in the tables");
        return std::pair(sines[at], cosines[at]);
      }
      const double pair = static_cast<double>(i - i % 2) / static_cast<double>(width);
      const double turn = static_cast<double>(row) / std::pow(op.rotary_emb_base, pair);
      return std::pair(std::sin(turn), std::cos(turn));
    };
    for (int64_t b = 0; b < batch; ++b) {
      for (int64_t t = 0; t < steps; ++t) {
        const int64_t row = ids.empty() ? t : ids[static_cast<size_t>(b * steps + t)];
        for (int64_t h = 0; h < s[2]; ++h) {
          const int64_t first = ((op.time_major ? t * batch + b : b * steps + t) * s[2] + h) * width;
          for (int64_t i = 0; i < width; ++i) {
            const bool second = op.use_neox_rotary_style ? i % 2 == 1 : i >= width / 2;
            const int64_t apart = op.use_neox_rotary_style ? 1 : width / 2;
            const int64_t partner = second ? i - apart : i + apart;
            const auto [sine, cosine] = angle(row, i);
            y[static_cast<size_t>(first + i)] = x[static_cast<size_t>(first + i)] * cosine +
                                                (second ? 1 : -1) * x[static_cast<size_t>(first + partner)] * sine;
          }
        }
      }
    }
    a.out(port).assign(a.context(), std::span<const double>(y));
  }
}

inline constexpr const OpSchema* fused_rotary_position_embedding_op = &kOpSchema<FusedRotaryPositionEmbedding>;

}  // namespace coracle::internal
