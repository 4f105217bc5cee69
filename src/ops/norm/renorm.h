// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "base/buffer.h"
#include "ops/common/lines.h"

namespace coracle::internal {

/// x with each slice along `axis` whose p-norm is above max_norm scaled down to it.
struct Renorm {
  static constexpr const char* kName = "renorm";
  static constexpr const char* kLegacy[] = {"renorm"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  double p = 2;
  int axis = 0;
  double max_norm = 1;
  void attributes(AttributeVisitor& visit) {
    visit("p", p);
    visit("axis", axis);
    visit("max_norm", max_norm);
  }
  friend bool operator==(const Renorm&, const Renorm&) = default;
};

inline void infer(const Renorm& op, InferArgs& a) {
  require(is_float(a.dtype(0)), "x is ", a.dtype(0), ", expected a real type");
  require(op.p > 0, "p is ", op.p, ", expected a positive number");
  require_axis(a.shape(0), op.axis);
  a.set(0, a.dtype(0), a.shape(0));
}

inline void reference(const Renorm& op, ReferenceArgs& a) {
  constexpr double kLeast = 1e-7;
  const Lines lines(a.shape(0), op.axis);
  Buffer<double> x = a.doubles(0);
  Buffer<double> factor(static_cast<size_t>(lines.length), 0.0, a.context());
  const auto slice = [&](size_t i) { return i / static_cast<size_t>(lines.inner) % factor.size(); };
  for (size_t i = 0; i < x.size(); ++i) factor[slice(i)] += std::pow(std::fabs(x[i]), op.p);
  for (double& f : factor) {
    const double norm = std::pow(f, 1.0 / op.p);
    f = norm > op.max_norm ? op.max_norm / (norm + kLeast) : 1.0;
  }
  for (size_t i = 0; i < x.size(); ++i) x[i] *= factor[slice(i)];
  a.out(0).assign(a.context(), std::span<const double>(x));
}

inline constexpr const OpSchema* renorm_op = &kOpSchema<Renorm>;

}  // namespace coracle::internal
