// SPDX-License-Identifier: Apache-2.0
//
// What every micro-kernel source starts from: Highway with the one static target that the compile flags select, and
// loads and stores of the last, partial vector of a row. Included only by sources that are compiled once per
// instruction set
// (-DCORACLE_ISA=avx2 and so on); everything here has internal linkage, so no wide code can leak into other objects.
#pragma once

#ifndef CORACLE_ISA
#error "a micro-kernel source is compiled once per instruction set, with -DCORACLE_ISA=<namespace>"
#endif

#ifndef HWY_COMPILE_ONLY_STATIC
#define HWY_COMPILE_ONLY_STATIC
#endif
#define HWY_DISABLE_PCLMUL_AES  // no kernel uses them, and their flags must not gate AVX2
// Without SSSE3 Highway emulates 128-bit vectors, which the compiler turns into SSE2. It distrusts this below gcc 12.3
// because of a miscompiled high half of a product (MulHigh), which no kernel uses; its other choice would be vectors of
// one lane.
#define HWY_BROKEN_EMU128 0

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

// Before a loop over the registers of a tile. Sanitized builds keep these loops: instrumented and unrolled, one source
// would take many minutes to compile.
#if defined(CORACLE_KEEP_LOOPS)
#define CORACLE_UNROLL
#elif defined(__clang__)
#define CORACLE_UNROLL _Pragma("unroll")
#else
#define CORACLE_UNROLL _Pragma("GCC unroll 16")
#endif

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using FloatTag = hn::ScalableTag<float>;
using IntTag = hn::ScalableTag<int32_t>;
using FloatVector = hn::Vec<FloatTag>;

constexpr size_t kFloatLanes = HWY_LANES(float);

// The first `count` elements (count < lanes) of `from`; other lanes are zero. Reads nothing beyond them.
template <class D>
HWY_INLINE hn::Vec<D> load_partial(D d, const hn::TFromD<D>* from, size_t count) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
  if constexpr (sizeof(hn::TFromD<D>) >= 4) return hn::MaskedLoad(hn::FirstN(d, count), d, from);
#endif
  HWY_ALIGN hn::TFromD<D> buffer[HWY_LANES(hn::TFromD<D>)] = {};
  for (size_t i = 0; i < count; ++i) buffer[i] = from[i];
  return hn::Load(d, buffer);
}

// Stores the first `count` lanes (count < lanes); writes nothing beyond them.
template <class D>
HWY_INLINE void store_partial(D d, hn::Vec<D> value, hn::TFromD<D>* to, size_t count) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
  if constexpr (sizeof(hn::TFromD<D>) >= 4) {
    hn::BlendedStore(value, hn::FirstN(d, count), d, to);
    return;
  }
#endif
  HWY_ALIGN hn::TFromD<D> buffer[HWY_LANES(hn::TFromD<D>)];
  hn::Store(value, d, buffer);
  for (size_t i = 0; i < count; ++i) to[i] = buffer[i];
}

template <class D>
HWY_INLINE hn::Vec<D> set(D d, double value) {
  return hn::Set(d, static_cast<hn::TFromD<D>>(value));
}

// min(limit, x) and max(limit, x), where NaN in x stays NaN and NaN in the limit is passed over on every target.
template <class V>
HWY_INLINE V at_most(V limit, V x) {
#if HWY_TARGET == HWY_EMU128 || HWY_TARGET == HWY_NEON
  return hn::IfThenElse(hn::Gt(x, limit), limit, x);
#else
  return hn::Min(limit, x);
#endif
}
template <class V>
HWY_INLINE V at_least(V limit, V x) {
#if HWY_TARGET == HWY_EMU128 || HWY_TARGET == HWY_NEON
  return hn::IfThenElse(hn::Lt(x, limit), limit, x);
#else
  return hn::Max(limit, x);
#endif
}

// max(x, 0), and 0 where x is NaN, as Paddle has it.
template <class V>
HWY_INLINE V rectified(V x) {
  const hn::DFromV<V> d;
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
  return hn::Max(x, hn::Zero(d));  // these give their second operand where either is NaN
#else
  return hn::IfThenElseZero(hn::Gt(x, hn::Zero(d)), x);
#endif
}

}  // namespace
}  // namespace coracle::internal::cpu::CORACLE_ISA
