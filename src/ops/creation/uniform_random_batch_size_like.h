// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/creation/full_batch_size_like.h"
#include "ops/creation/random.h"

namespace coracle::internal {

/// Numbers evenly distributed in [min, max), of a fixed shape but for one dimension that is taken from the operand.
struct UniformRandomBatchSizeLike {
  static constexpr const char* kName = "uniform_random_batch_size_like";
  static constexpr const char* kLegacy[] = {"uniform_random_batch_size_like"};
  static constexpr Port kInputs[] = {in("input", "Input")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr bool kPure = false;
  FullBatchSizeLike like;
  double min = -1;
  double max = 1;
  int64_t seed = 0;
  void attributes(AttributeVisitor& visit) {
    visit("shape", like.shape);
    visit("input_dim_idx", like.input_dim_idx);
    visit("output_dim_idx", like.output_dim_idx);
    visit("dtype", like.dtype);
    visit("min", min);
    visit("max", max);
    visit("seed", seed);
  }
  friend bool operator==(const UniformRandomBatchSizeLike&, const UniformRandomBatchSizeLike&) = default;
};

inline void infer(const UniformRandomBatchSizeLike& op, InferArgs& a) { infer(op.like, a); }

inline void reference(const UniformRandomBatchSizeLike& op, ReferenceArgs& a) {
  RandomStream random(op.seed);
  fill_each(a.context(), a.out(0), [&] { return op.min + (op.max - op.min) * random.uniform(); });
}

inline constexpr const OpSchema* uniform_random_batch_size_like_op = &kOpSchema<UniformRandomBatchSizeLike>;

}  // namespace coracle::internal
