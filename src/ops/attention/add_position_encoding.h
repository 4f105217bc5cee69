// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/long_loop.h"
#include "graph/op.h"
#include "ops/rnn/recurrent.h"

namespace coracle::internal {

/// alpha * x + beta * encoding, which is sin(t / 10000^(k / (n - 1))) in the first n = D / 2 elements of step t and the
/// cosine in the others. x is [batch, time, D], or [rows, D] with sequences one after the other.
struct AddPositionEncoding {
  static constexpr const char* kName = "add_position_encoding";
  static constexpr const char* kLegacy[] = {"add_position_encoding"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  double alpha = 1.0;
  double beta = 1.0;
  void attributes(AttributeVisitor& visit) {
    visit("alpha", alpha);
    visit("beta", beta);
  }
  friend bool operator==(const AddPositionEncoding&, const AddPositionEncoding&) = default;
};

inline void infer(const AddPositionEncoding&, InferArgs& a) {
  require(is_float(a.dtype(0)), "x is ", a.dtype(0), ", expected a real type");
  const Shape& x = a.shape(0);
  a.set(0, a.dtype(0), x);
  if (!x.rank_known()) return;
  require(x.rank() == 2 || x.rank() == 3, "x ", x, " has ", x.rank(), " dimensions, expected 2 or 3");
  require(x.back() < 0 || x.back() % 2 == 0, "x ", x, " has an odd last dimension");
}

inline void reference(const AddPositionEncoding& op, ReferenceArgs& a) {
  const Shape& s = a.shape(0);
  const int64_t width = s.back();
  const int64_t half = width / 2;
  std::vector<int64_t> offsets;
  if (s.rank() == 2) {
    offsets = sequence_offsets(a.in(0).lod(), s[0]);
  } else {
    for (int64_t b = 0; b <= s[0]; ++b) offsets.push_back(b * s[1]);
  }
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    LoopCheck check(a.context());
    for (size_t q = 0; q + 1 < offsets.size(); ++q) {
      for (int64_t t = offsets[q]; t < offsets[q + 1]; ++t) {
        const T* from = a.in(0).data<T>() + t * width;
        T* to = a.out(0).data<T>() + t * width;
        for (int64_t k = 0; k < half; ++k) {
          check.step(8);
          const double exponent = half > 1 ? static_cast<double>(k) / static_cast<double>(half - 1) : 1.0;
          const double angle = static_cast<double>(t - offsets[q]) / std::pow(10000.0, exponent);
          to[k] = static_cast<T>(static_cast<double>(from[k]) * op.alpha + std::sin(angle) * op.beta);
          to[half + k] = static_cast<T>(static_cast<double>(from[half + k]) * op.alpha + std::cos(angle) * op.beta);
        }
      }
    }
  });
}

inline constexpr const OpSchema* add_position_encoding_op = &kOpSchema<AddPositionEncoding>;

}  // namespace coracle::internal
