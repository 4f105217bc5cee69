// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/number_unary.h"

#include "devices/cpu/isa/independent.h"
#include "devices/cpu/isa/vector.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

// Plain loops, which the compiler vectorises.

template <class T>
constexpr bool kIsReal = static_cast<T>(0.5) != T();

struct AbsOp {
  template <class T>
  static HWY_INLINE T of(T x) {
    if constexpr (kIsReal<T>) return __builtin_fabs(x);
    return static_cast<T>(x < T(0) ? uint64_t{0} - static_cast<uint64_t>(x) : static_cast<uint64_t>(x));
  }
};
struct NegativeOp {
  template <class T>
  static HWY_INLINE T of(T x) {
    if constexpr (kIsReal<T>) return -x;
    return static_cast<T>(uint64_t{0} - static_cast<uint64_t>(x));
  }
};
struct NotOp {
  template <class T>
  static HWY_INLINE T of(T x) {
    return static_cast<T>(~x);
  }
};
struct LogicalNotOp {
  template <class T>
  static HWY_INLINE uint8_t of(T x) {
    return static_cast<uint8_t>(x == T());
  }
};
struct IsNanOp {
  template <class T>
  static HWY_INLINE uint8_t of(T x) {
    return static_cast<uint8_t>(x != x);
  }
};
struct IsInfOp {
  template <class T>
  static HWY_INLINE uint8_t of(T x) {
    if constexpr (!kIsReal<T>) return 0;
    return static_cast<uint8_t>((x == static_cast<T>(__builtin_inf())) | (x == static_cast<T>(-__builtin_inf())));
  }
};
struct IsFiniteOp {
  template <class T>
  static HWY_INLINE uint8_t of(T x) {
    if constexpr (!kIsReal<T>) return 1;
    return static_cast<uint8_t>((x < static_cast<T>(__builtin_inf())) & (x > static_cast<T>(-__builtin_inf())));
  }
};

template <class Op, class T>
void line(const void* x, void* y, size_t count) {
  using Y = decltype(Op::template of<T>(T()));
  const T* from = static_cast<const T*>(x);
  Y* to = static_cast<Y*>(y);
  // y may be x: each element is read before it is written.
  CORACLE_INDEPENDENT for (size_t i = 0; i < count; ++i) to[i] = Op::template of<T>(from[i]);
}

template <class T>
NumberUnaryLoop number_loop(NumberUnaryKind kind) {
  switch (kind) {
    case NumberUnaryKind::kAbs: return line<AbsOp, T>;
    case NumberUnaryKind::kNegative: return line<NegativeOp, T>;
    case NumberUnaryKind::kLogicalNot: return line<LogicalNotOp, T>;
    case NumberUnaryKind::kIsNan: return line<IsNanOp, T>;
    case NumberUnaryKind::kIsInf: return line<IsInfOp, T>;
    case NumberUnaryKind::kIsFinite: return line<IsFiniteOp, T>;
    case NumberUnaryKind::kNot:
      if constexpr (!kIsReal<T>) return line<NotOp, T>;
      return nullptr;
  }
  return nullptr;
}

NumberUnaryLoop loop(NumberUnaryKind kind, NumberType type) {
  switch (type) {
    case NumberType::kBool:  // bytes of 0 and 1
      if (kind == NumberUnaryKind::kLogicalNot || kind == NumberUnaryKind::kNot) return line<LogicalNotOp, uint8_t>;
      return nullptr;
    case NumberType::kUint8: return number_loop<uint8_t>(kind);
    case NumberType::kInt8: return number_loop<int8_t>(kind);
    case NumberType::kInt16: return number_loop<int16_t>(kind);
    case NumberType::kInt32: return number_loop<int32_t>(kind);
    case NumberType::kInt64: return number_loop<int64_t>(kind);
    case NumberType::kFloat32: return number_loop<float>(kind);
    case NumberType::kFloat64: return number_loop<double>(kind);
    case NumberType::kFloat16:
    case NumberType::kBfloat16: return nullptr;
  }
  return nullptr;
}

template <class T, bool kOneA, bool kOneB>
HWY_INLINE void select_line(const uint8_t* condition, const T* a, const T* b, T* y, size_t count) {
  const T one_a = *a;
  const T one_b = *b;
  for (size_t i = 0; i < count; ++i) {
    const T x = kOneA ? one_a : a[i];
    const T z = kOneB ? one_b : b[i];
    y[i] = condition[i] != 0 ? x : z;
  }
}

template <class T>
void select_from(const uint8_t* condition, const void* a, int64_t a_step, const void* b, int64_t b_step, void* y,
                 size_t count) {
  const T* x = static_cast<const T*>(a);
  const T* z = static_cast<const T*>(b);
  T* to = static_cast<T*>(y);
  if (a_step != 0 && b_step != 0) return select_line<T, false, false>(condition, x, z, to, count);
  if (a_step != 0) return select_line<T, false, true>(condition, x, z, to, count);
  if (b_step != 0) return select_line<T, true, false>(condition, x, z, to, count);
  select_line<T, true, true>(condition, x, z, to, count);
}

SelectLoop select(size_t element_bytes) {
  switch (element_bytes) {
    case 1: return select_from<uint8_t>;
    case 2: return select_from<uint16_t>;
    case 4: return select_from<uint32_t>;
    case 8: return select_from<uint64_t>;
    default: return nullptr;
  }
}

template <class T>
void clip_line(const void* x, const void* low, const void* high, void* y, size_t count) {
  const T* from = static_cast<const T*>(x);
  T* to = static_cast<T*>(y);
  const T least = *static_cast<const T*>(low);
  const T most = *static_cast<const T*>(high);
  CORACLE_INDEPENDENT for (size_t i = 0; i < count; ++i) {
    const T raised = from[i] > least ? from[i] : least;
    to[i] = raised < most ? raised : most;
  }
}

ClipLoop clip(NumberType type) {
  switch (type) {
    case NumberType::kInt32: return clip_line<int32_t>;
    case NumberType::kInt64: return clip_line<int64_t>;
    default: return nullptr;
  }
}

}  // namespace

const NumberUnaryFunctions number_unary = {loop, select, clip};

}  // namespace coracle::internal::cpu::CORACLE_ISA
