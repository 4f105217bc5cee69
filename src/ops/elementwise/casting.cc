// SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise/casting.h"

#include <cstring>

#include "base/convert.h"
#include "ops/common/complex_numbers.h"

namespace coracle {

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
