// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>

#include "graph/op.h"

namespace coracle {

/// The elements in another type. Real to whole numbers truncates; what does not fit gives what the x86 conversion gives
/// (the smallest number); anything but zero is true.
struct Cast {
  static constexpr const char* kName = "cast";
  static constexpr const char* kLegacy[] = {"cast"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr bool kSharesLod = true;
  DType dtype = DType::kFloat32;
  void attributes(AttributeVisitor& visit) { visit("dtype", dtype, "out_dtype"); }
  friend bool operator==(const Cast&, const Cast&) = default;
};

namespace cast_detail {

template <class To, class From>
To convert(From x) {
  if constexpr (std::is_same_v<To, bool>) {
    return static_cast<bool>(static_cast<double>(x) != 0.0);
  } else if constexpr (std::is_integral_v<To> && !std::is_integral_v<From>) {
    // As the machine does it: through a 32- or 64-bit conversion whose failure is the smallest number.
    const double v = std::trunc(static_cast<double>(x));
    if constexpr (sizeof(To) == 8) {
      return v >= -9223372036854775808.0 && v < 9223372036854775808.0 ? static_cast<To>(v)
                                                                     : std::numeric_limits<To>::min();
    } else {
      const bool fits = v >= -2147483648.0 && v < 2147483648.0;
      return static_cast<To>(fits ? static_cast<int32_t>(v) : std::numeric_limits<int32_t>::min());
    }
  } else {
    return static_cast<To>(x);
  }
}

}  // namespace cast_detail

inline void infer(const Cast& op, InferArgs& a) { a.set(0, op.dtype, a.shape(0)); }

inline void reference(const Cast& op, ReferenceArgs& a) {
  const Tensor& x = a.in(0);
  visit_real(x.dtype(), [&](auto* f) {
    using From = std::remove_pointer_t<decltype(f)>;
    visit_real(op.dtype, [&](auto* t) {
      using To = std::remove_pointer_t<decltype(t)>;
      const From* from = x.data<From>();
      To* to = a.out(0).data<To>();
      for (int64_t i = 0, n = x.count(); i < n; ++i) to[i] = cast_detail::convert<To>(from[i]);
    });
  });
}

inline constexpr const OpRow* cast_op = &kOpRow<Cast>;

}  // namespace coracle
