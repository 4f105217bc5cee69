// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <vector>

#include "base/buffer.h"
#include "ops/activation/softmax_rows.h"
#include "ops/creation/random.h"

namespace coracle::internal {

/// softmax((x + noise) / temperature) along an axis, the noise from the Gumbel distribution; with `hard` 1 at the
/// largest and 0 elsewhere.
struct GumbelSoftmax {
  static constexpr const char* kName = "gumbel_softmax";
  static constexpr const char* kLegacy[] = {"gumbel_softmax"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  static constexpr bool kPure = false;
  double temperature = 1;
  bool hard = false;
  int axis = -1;
  void attributes(AttributeVisitor& visit) {
    visit("temperature", temperature);
    visit("hard", hard);
    visit("axis", axis);
  }
  friend bool operator==(const GumbelSoftmax&, const GumbelSoftmax&) = default;
};

inline void infer(const GumbelSoftmax& op, InferArgs& a) {
  require(is_float(a.dtype(0)), "x is ", a.dtype(0), ", expected a real type");
  require(op.temperature > 0, "temperature is ", op.temperature, ", expected a positive number");
  if (a.shape(0).rank_known() && !a.shape(0).is_scalar()) normalize_axis(op.axis, a.shape(0).rank());
  a.set(0, a.dtype(0), a.shape(0));
}

inline void reference(const GumbelSoftmax& op, ReferenceArgs& a) {
  const Shape& s = a.shape(0);
  const int axis = s.rank() == 0 ? 0 : normalize_axis(op.axis, s.rank());
  const int64_t n = s.rank() == 0 ? 1 : s[axis];
  const int64_t inner = s.rank() == 0 ? 1 : s.count(axis + 1, s.rank());
  RandomStream random(0);
  Buffer<double> x = a.doubles(0);
  for (double& v : x) v = (v - std::log(-std::log(1.0 - random.uniform()))) / op.temperature;
  for (int64_t o = 0, lines = n == 0 ? 0 : s.count() / n; o < lines; ++o) {
    double* line = x.data() + o / inner * n * inner + o % inner;
    int64_t best = 0;
    for (int64_t k = 1; k < n; ++k) {
      if (line[k * inner] > line[best * inner]) best = k;
    }
    const double largest = line[best * inner];
    double sum = 0;
    for (int64_t k = 0; k < n; ++k) sum += line[k * inner] = std::exp(softmax_exponent(line[k * inner] - largest));
    for (int64_t k = 0; k < n; ++k) line[k * inner] = op.hard ? (k == best ? 1.0 : 0.0) : line[k * inner] / sum;
  }
  a.out(0).assign(a.context(), std::span<const double>(x));
}

inline constexpr const OpSchema* gumbel_softmax_op = &kOpSchema<GumbelSoftmax>;

}  // namespace coracle::internal
