// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/buffer.h"
#include "ops/creation/random.h"

namespace coracle::internal {

/// Draws num_samples indices from each row of weights x (last dimension).
struct Multinomial {
  static constexpr const char* kName = "multinomial";
  static constexpr const char* kLegacy[] = {"multinomial"};
  static constexpr Port kInputs[] = {in("x", "X"),
                                     {.name = "num_samples",
                                      .kind = Port::Kind::kOptional,
                                      .slot = "NumSamplesTensor",
                                      .attribute = "num_samples",
                                      .shape_input = true}};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr bool kPure = false;
  bool replacement = false;
  int64_t seed = 0;
  void attributes(AttributeVisitor& visit) {
    visit("replacement", replacement);
    visit("seed", seed);
  }
  friend bool operator==(const Multinomial&, const Multinomial&) = default;
};

inline void infer(const Multinomial& op, InferArgs& a) {
  Shape y = a.shape(0);
  const std::optional<int64_t> samples = axis_operand(a, 1, 1);
  require(!samples || *samples >= 0, "num_samples is ", samples.value_or(0));
  if (y.rank_known()) {
    require(y.rank() >= 1, "x is a scalar, expected weights");
    require(op.replacement || !samples || y.back() < 0 || *samples <= y.back(), "num_samples is ", samples.value_or(0),
            ", but there are ", y.back(), " weights");
    y[y.rank() - 1] = samples.value_or(Shape::kUnknown);
  }
  a.set(0, DType::kInt64, y);
}

inline void reference(const Multinomial& op, ReferenceArgs& a) {
  const int64_t n = a.shape(0).back();
  const int64_t samples = a.out(0).shape().back();
  const int64_t rows = a.shape(0).count(0, a.shape(0).rank() - 1);
  RandomStream random(op.seed);
  Buffer<double> weights(static_cast<size_t>(n), a.context());
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    for (int64_t r = 0; r < rows; ++r) {
      double total = 0;
      for (int64_t i = 0; i < n; ++i) {
        const double w = static_cast<double>(a.in(0).data<T>()[r * n + i]);
        require(w >= 0, ErrorCode::kRunFailure, "weight ", i, " is ", w);
        weights[static_cast<size_t>(i)] = w;
        total += w;
      }
      for (int64_t s = 0; s < samples; ++s) {
        require(total > 0, ErrorCode::kRunFailure, "fewer than ", samples, " weights are positive");
        double left = random.uniform() * total;
        int64_t chosen = -1;
        for (int64_t i = 0; i < n; ++i) {
          if (weights[static_cast<size_t>(i)] <= 0) continue;
          chosen = i;
          left -= weights[static_cast<size_t>(i)];
          if (left < 0) break;
        }
        a.out(0).data<int64_t>()[r * samples + s] = chosen;
        if (op.replacement) continue;
        weights[static_cast<size_t>(chosen)] = 0;
        total = 0;
        for (double w : weights) total += w;
      }
    }
  });
}

inline constexpr const OpSchema* multinomial_op = &kOpSchema<Multinomial>;

}  // namespace coracle::internal
