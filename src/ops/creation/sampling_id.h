// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/buffer.h"
#include "ops/creation/random.h"

namespace coracle::internal {

/// One position drawn from each row of probabilities x [N, classes], by a number between `min` and `max`.
struct SamplingId {
  static constexpr const char* kName = "sampling_id";
  static constexpr const char* kLegacy[] = {"sampling_id"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  static constexpr bool kPure = false;
  double min = 0;
  double max = 1;
  int64_t seed = 0;
  void attributes(AttributeVisitor& visit) {
    visit("min", min);
    visit("max", max);
    visit("seed", seed);
  }
  friend bool operator==(const SamplingId&, const SamplingId&) = default;
};

inline void infer(const SamplingId&, InferArgs& a) {
  const Shape& x = a.shape(0);
  require(!x.rank_known() || (x.rank() == 2 && x[1] != 0), "x is ", x, ", expected [N, classes]");
  a.set(0, DType::kInt64, Shape{x.rank_known() ? x[0] : Shape::kUnknown});
}

inline void reference(const SamplingId& op, ReferenceArgs& a) {
  const int64_t classes = a.shape(0)[1];
  const Buffer<double> x = a.doubles(0);
  RandomStream random(op.seed);
  for (int64_t r = 0; r < a.shape(0)[0]; ++r) {
    double left = op.min + (op.max - op.min) * random.uniform();
    int64_t chosen = classes - 1;
    for (int64_t c = 0; c < classes; ++c) {
      left -= x[static_cast<size_t>(r * classes + c)];
      if (left < 0) {
        chosen = c;
        break;
      }
    }
    a.out(0).data<int64_t>()[r] = chosen;
  }
}

inline constexpr const OpSchema* sampling_id_op = &kOpSchema<SamplingId>;

}  // namespace coracle::internal
