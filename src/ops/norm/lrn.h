// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "graph/op.h"
#include "ops/common/data_format.h"

namespace coracle::internal {

/// x / (k + alpha * sum of x^2 over n neighbouring channels)^beta
struct Lrn {
  static constexpr const char* kName = "lrn";
  static constexpr const char* kLegacy[] = {"lrn"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out"), optional_out("mid_out", "MidOut")};
  static constexpr LodRule kLod = LodRule::kFirst;
  int n = 5;
  double k = 2.0;
  double alpha = 1e-4;
  double beta = 0.75;
  DataFormat data_format = DataFormat::kAnyLayout;
  void attributes(AttributeVisitor& visit) {
    visit("n", n);
    visit("k", k);
    visit("alpha", alpha);
    visit("beta", beta);
    visit("data_format", data_format);
  }
  friend bool operator==(const Lrn&, const Lrn&) = default;
};

inline void infer(const Lrn& op, InferArgs& a) {
  require(is_float(a.dtype(0)), "x is ", a.dtype(0), ", expected a real type");
  require(op.n > 0, "n is ", op.n, ", expected a positive number");
  const Shape& x = a.shape(0);
  require(!x.rank_known() || x.rank() == 4, "x ", x, " has ", x.rank(), " dimensions, expected 4");
  a.set(0, a.dtype(0), x);
  a.set(1, a.dtype(0), x);
}

inline void reference(const Lrn& op, ReferenceArgs& a) {
  const Shape& s = a.shape(0);
  const int axis = channel_axis(op.data_format, s.rank());
  const int64_t channels = s[axis];
  const int64_t inner = s.count(axis + 1, s.rank());
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    for (int64_t i = 0, count = s.count(); i < count; ++i) {
      const int64_t c = i / inner % channels;
      const int64_t first = std::max<int64_t>(c - (op.n - 1) / 2, 0);
      const int64_t last = std::min<int64_t>(c - (op.n - 1) / 2 + op.n, channels);
      double sum = 0;
      for (int64_t j = first; j < last; ++j) {
        const auto v = static_cast<double>(a.in(0).data<T>()[i + (j - c) * inner]);
        sum += v * v;
      }
      const double mid = op.k + op.alpha * sum;
      a.out(0).data<T>()[i] = static_cast<T>(static_cast<double>(a.in(0).data<T>()[i]) * std::pow(mid, -op.beta));
      if (a.wants(1)) a.out(1).data<T>()[i] = static_cast<T>(mid);
    }
  });
}

inline constexpr const OpSchema* lrn_op = &kOpSchema<Lrn>;

}  // namespace coracle::internal
