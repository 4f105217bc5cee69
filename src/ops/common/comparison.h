// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/binary.h"

namespace coracle {

/// Result of a comparison: bool, shapes broadcast.
inline void infer_comparison(InferArgs& a) { a.set(0, DType::kBool, broadcast(a.shape(0), a.shape(1))); }

/// out = f(x, y) as bool, compared in the promoted type.
template <class F>
void reference_comparison(ReferenceArgs& a, const F& f) {
  const DType dtype = promote(a.in(0).dtype(), a.in(1).dtype());
  const Tensor x = converted(a.in(0), dtype);
  const Tensor y = converted(a.in(1), dtype);
  bool* out = a.out(0).data<bool>();
  const BroadcastWalk walk(a.out(0).shape(), x.shape(), y.shape());
  visit_real(dtype, [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    const T* px = x.data<T>();
    const T* py = y.data<T>();
    walk.each([&](int64_t i, int64_t ix, int64_t iy) { out[i] = f(px[ix], py[iy]); });
  });
}

}  // namespace coracle
