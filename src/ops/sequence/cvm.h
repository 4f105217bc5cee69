// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/sequence/sequences.h"

namespace coracle::internal {

/// Features x [N, D] that start with two counts, show and click: with use_cvm these become log(show + 1) and
/// log(click + 1) - log(show + 1), else they are left out.
struct Cvm {
  static constexpr const char* kName = "cvm";
  static constexpr const char* kLegacy[] = {"cvm"};
  static constexpr Port kInputs[] = {in("x", "X"), optional_in("cvm", "CVM")};
  static constexpr Port kOutputs[] = {out("out", "Y")};
  static constexpr LodRule kLod = LodRule::kFirst;
  bool use_cvm = true;
  void attributes(AttributeVisitor& visit) { visit("use_cvm", use_cvm); }
  friend bool operator==(const Cvm&, const Cvm&) = default;
};

inline constexpr int64_t kCvmColumns = 2;

inline void infer(const Cvm& op, InferArgs& a) {
  Shape x = a.shape(0);
  require(is_float(a.dtype(0)), "x is ", a.dtype(0), ", expected a real type");
  if (x.rank_known()) {
    require(x.rank() == 2 && (x[1] < 0 || x[1] >= kCvmColumns), "x is ", x, ", expected [N, D] with D at least ",
            kCvmColumns);
    if (!op.use_cvm && x[1] >= 0) x[1] -= kCvmColumns;
  }
  a.set(0, a.dtype(0), x);
}

/// One row of `width` features; returns the place behind what it wrote.
template <class T>
T* convert_counts(const T* x, int64_t width, bool use_cvm, T* to) {
  if (use_cvm) {
    const double show = std::log(static_cast<double>(x[0]) + 1);
    *to++ = static_cast<T>(show);
    *to++ = static_cast<T>(std::log(static_cast<double>(x[1]) + 1) - show);
  }
  return std::copy(x + kCvmColumns, x + width, to);
}

inline void reference(const Cvm& op, ReferenceArgs& a) {
  const int64_t width = a.shape(0)[1];
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    T* to = a.out(0).data<T>();
    for (int64_t i = 0; i < a.shape(0)[0]; ++i) {
      to = convert_counts(a.in(0).data<T>() + i * width, width, op.use_cvm, to);
    }
  });
}

inline constexpr const OpSchema* cvm_op = &kOpSchema<Cvm>;

}  // namespace coracle::internal
