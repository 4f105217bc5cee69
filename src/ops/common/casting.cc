// SPDX-License-Identifier: Apache-2.0
#include "ops/common/casting.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "ops/common/complex_numbers.h"

namespace coracle {
namespace {

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

}  // namespace

void cast(const Tensor& x, DType dtype, Tensor& out) {
  if (is_complex(dtype)) {
    const Tensor y = as_complex_type(x, dtype);
    if (y.bytes() != 0) std::memcpy(out.raw(), y.raw(), y.bytes());
    return;
  }
  visit_real(x.dtype(), [&](auto* f) {
    using From = std::remove_pointer_t<decltype(f)>;
    visit_real(dtype, [&](auto* t) {
      using To = std::remove_pointer_t<decltype(t)>;
      const From* from = x.data<From>();
      To* to = out.data<To>();
      for (int64_t i = 0, n = x.count(); i < n; ++i) to[i] = convert<To>(from[i]);
    });
  });
}

}  // namespace coracle
