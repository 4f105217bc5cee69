// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/convert.h"
#include "base/long_loop.h"
#include "ops/common/complex_numbers.h"
#include "ops/common/lines.h"

namespace coracle::internal {

/// Running products along dim; `exclusive` leaves the element itself out, `reverse` runs from the end.
struct Cumprod {
  static constexpr const char* kName = "cumprod";
  static constexpr const char* kLegacy[] = {"cumprod"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  int64_t dim = 0;
  bool exclusive = false;
  bool reverse = false;
  void attributes(AttributeVisitor& visit) {
    visit("dim", dim);
    visit("exclusive", exclusive);
    visit("reverse", reverse);
  }
  friend bool operator==(const Cumprod&, const Cumprod&) = default;
};

inline void infer(const Cumprod& op, InferArgs& a) {
  require_axis(a.shape(0), op.dim);
  a.set(0, a.dtype(0), a.shape(0));
}

inline void reference(const Cumprod& op, ReferenceArgs& a) {
  const Lines lines(a.shape(0), op.dim);
  visit_number(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    using Product = Accumulator<T>;
    LoopCheck check(a.context());
    lines.each(a.context(), [&](int64_t first) {
      Product product = 1;
      for (int64_t k = 0; k < lines.length; ++k) {
        check.step();
        const int64_t at = first + (op.reverse ? lines.length - 1 - k : k) * lines.inner;
        const Product before = product;
        product *= static_cast<Product>(a.in(0).data<T>()[at]);
        a.out(0).data<T>()[at] = convert<T>(op.exclusive ? before : product);
      }
    });
  });
}

inline constexpr const OpSchema* cumprod_op = &kOpSchema<Cumprod>;

}  // namespace coracle::internal
