// SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise/casting.h"

#include "base/convert.h"
#include "base/copy_bytes.h"
#include "base/long_loop.h"
#include "ops/common/complex_numbers.h"

namespace coracle::internal {

namespace {

/// out[i] = x[i], which is a float8, in float32.
void widen(const RunContext& context, const Tensor& x, float* out) {
  visit_float8(x.dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    in_blocks(context, static_cast<size_t>(x.count()), [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) out[i] = T::to_float(x.data<T>()[i].bits);
    });
  });
}

/// The same from float32 to a float8.
void narrow(const RunContext& context, const float* x, Tensor& out) {
  visit_float8(out.dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    in_blocks(context, static_cast<size_t>(out.count()), [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) out.data<T>()[i].bits = T::from_float(x[i]);
    });
  });
}

}  // namespace

void cast(const RunContext& context, const Tensor& x, DType dtype, Tensor& out) {
  // By way of float32, which holds each float8, and which Paddle rounds other types to first.
  if (is_float8(x.dtype())) {
    if (dtype == DType::kFloat32) return widen(context, x, out.data<float>());
    Tensor wide = Tensor::make(context, DType::kFloat32, x.shape());
    widen(context, x, wide.data<float>());
    return cast(context, wide, dtype, out);
  }
  if (is_float8(dtype)) {
    if (x.dtype() == DType::kFloat32) return narrow(context, x.data<float>(), out);
    Tensor wide = Tensor::make(context, DType::kFloat32, x.shape());
    cast(context, x, DType::kFloat32, wide);
    return narrow(context, wide.data<float>(), out);
  }
  if (is_complex(dtype)) {
    const Tensor y = as_complex_type(context, x, dtype);
    copy_bytes(out.raw(), y.raw(), y.bytes());
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

}  // namespace coracle::internal
