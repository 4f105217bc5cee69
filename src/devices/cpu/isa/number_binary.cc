// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/number_binary.h"

#include "devices/cpu/isa/independent.h"
#include "devices/cpu/isa/vector.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

// Plain loops, which the compiler vectorises. Operations are empty types, so that each loop is compiled once per
// operation and type.

template <class T>
constexpr bool kIsReal = static_cast<T>(0.5) != T();

template <size_t kBytes>
struct Unsigned;
template <>
struct Unsigned<1> {
  using Type = uint8_t;
};
template <>
struct Unsigned<2> {
  using Type = uint16_t;
};
template <>
struct Unsigned<4> {
  using Type = uint32_t;
};
template <>
struct Unsigned<8> {
  using Type = uint64_t;
};

// f in arithmetic that wraps around.
template <class T, class F>
HWY_INLINE T wrapped(T a, T b, F f) {
  if constexpr (kIsReal<T>) {
    return f(a, b);
  } else {
    using U = typename Unsigned<sizeof(T)>::Type;
    return static_cast<T>(f(static_cast<U>(a), static_cast<U>(b)));
  }
}

struct AddOp {
  template <class T>
  static HWY_INLINE T of(T a, T b) {
    return wrapped(a, b, [](auto x, auto y) { return static_cast<decltype(x)>(x + y); });
  }
};
struct SubtractOp {
  template <class T>
  static HWY_INLINE T of(T a, T b) {
    return wrapped(a, b, [](auto x, auto y) { return static_cast<decltype(x)>(x - y); });
  }
};
struct MultiplyOp {
  template <class T>
  static HWY_INLINE T of(T a, T b) {
    // 1U: 16-bit numbers would be multiplied as signed int.
    if constexpr (kIsReal<T>) {
      return a * b;
    } else {
      return wrapped(a, b, [](auto x, auto y) { return static_cast<decltype(x)>(1U * x * y); });
    }
  }
};
// What is not a number stays so.
struct MaximumOp {
  template <class T>
  static HWY_INLINE T of(T a, T b) {
    return ((a > b) | (a != a)) ? a : b;
  }
};
struct MinimumOp {
  template <class T>
  static HWY_INLINE T of(T a, T b) {
    return ((a < b) | (a != a)) ? a : b;
  }
};
struct AndOp {
  template <class T>
  static HWY_INLINE T of(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct OrOp {
  template <class T>
  static HWY_INLINE T of(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct XorOp {
  template <class T>
  static HWY_INLINE T of(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};

#define CORACLE_COMPARISON(Name, expression)   \
  struct Name {                                \
    template <class T>                         \
    static HWY_INLINE uint8_t of(T a, T b) {   \
      return static_cast<uint8_t>(expression); \
    }                                          \
  };
CORACLE_COMPARISON(EqualOp, a == b)
CORACLE_COMPARISON(NotEqualOp, a != b)
CORACLE_COMPARISON(LessOp, a < b)
CORACLE_COMPARISON(LessEqualOp, a <= b)
CORACLE_COMPARISON(GreaterOp, a > b)
CORACLE_COMPARISON(GreaterEqualOp, a >= b)
CORACLE_COMPARISON(LogicalAndOp, (a != T()) & (b != T()))
CORACLE_COMPARISON(LogicalOrOp, (a != T()) | (b != T()))
CORACLE_COMPARISON(LogicalXorOp, (a != T()) ^ (b != T()))
#undef CORACLE_COMPARISON

// An operand may be one element.
template <class Op, class T, bool kOneLeft, bool kOneRight>
void line(const void* a, const void* b, void* y, size_t count) {
  using Y = decltype(Op::template of<T>(T(), T()));
  const T* left = static_cast<const T*>(a);
  const T* right = static_cast<const T*>(b);
  Y* to = static_cast<Y*>(y);
  const T one_left = *left;
  const T one_right = *right;
  // y may be an operand: each element is read before it is written.
  CORACLE_INDEPENDENT for (size_t i = 0; i < count; ++i) {
    to[i] = Op::template of<T>(kOneLeft ? one_left : left[i], kOneRight ? one_right : right[i]);
  }
}

template <class Op, class T>
NumberBinaryLoops loops_of() {
  return {line<Op, T, false, false>, line<Op, T, false, true>, line<Op, T, true, false>};
}

// ---- quotients

// Numbers are divided in double where that is exact, a block at a time; other blocks one by one.
constexpr size_t kBlock = 256;

using DoubleTag = hn::ScalableTag<double>;
using DoubleVector = hn::Vec<DoubleTag>;

// a - quotient * b, and whether it has not b's sign.
HWY_INLINE DoubleVector rest_of(DoubleVector a, DoubleVector b, DoubleVector quotient) {
  return hn::Sub(a, hn::Mul(quotient, b));
}
HWY_INLINE hn::Mask<DoubleTag> differs(DoubleVector rest, DoubleVector b) {
  return hn::Lt(hn::Mul(rest, b), hn::Zero(DoubleTag()));
}

struct Truncated {
  static HWY_INLINE DoubleVector by_double(DoubleVector, DoubleVector, DoubleVector, DoubleVector quotient) {
    return quotient;
  }
  template <class T>
  static HWY_INLINE T one(T a, T b) {
    return static_cast<T>(a / b);
  }
};
struct Floored {
  static HWY_INLINE DoubleVector by_double(DoubleVector a, DoubleVector b, DoubleVector ratio, DoubleVector quotient) {
    const DoubleTag d;
    const auto below = differs(rest_of(a, b, quotient), b);
    const DoubleVector floored = hn::Sub(quotient, hn::IfThenElseZero(below, set(d, 1.0)));
    return hn::IfThenElse(hn::Eq(floored, hn::Zero(d)), hn::CopySign(floored, ratio), floored);
  }
  static HWY_INLINE FloatVector by_float(FloatVector, FloatVector, FloatVector ratio, FloatVector nearest, FloatVector,
                                         hn::Mask<FloatTag> other_sign) {
    const FloatTag d;
    const FloatVector floored = hn::Sub(nearest, hn::IfThenElseZero(other_sign, set(d, 1.0)));
    return hn::IfThenElse(hn::Eq(floored, hn::Zero(d)), hn::CopySign(floored, ratio), floored);
  }
  template <class T>
  static HWY_INLINE T one(T a, T b) {
    if constexpr (kIsReal<T>) {
      const double x = static_cast<double>(a);
      const double y = static_cast<double>(b);
      if (y == 0) return static_cast<T>(x / y);
      const double rest = __builtin_fmod(x, y);
      const double multiple = (x - rest) / y - (rest != 0 && (rest < 0) != (y < 0) ? 1.0 : 0.0);
      if (multiple == 0) return static_cast<T>(__builtin_copysign(0.0, x / y));
      const double whole = __builtin_floor(multiple);
      return static_cast<T>(multiple - whole > 0.5 ? whole + 1 : whole);
    } else {
      return static_cast<T>(a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0));
    }
  }
};
struct Rest {
  static HWY_INLINE DoubleVector by_double(DoubleVector a, DoubleVector b, DoubleVector, DoubleVector quotient) {
    const DoubleVector rest = rest_of(a, b, quotient);
    // A rest of nothing keeps the sign of a, as fmod has it.
    const DoubleVector signed_rest = hn::IfThenElse(hn::Eq(rest, hn::Zero(DoubleTag())), hn::CopySign(rest, a), rest);
    return hn::IfThenElse(differs(rest, b), hn::Add(rest, b), signed_rest);
  }
  static HWY_INLINE FloatVector by_float(FloatVector a, FloatVector b, FloatVector, FloatVector, FloatVector rest,
                                         hn::Mask<FloatTag> other_sign) {
    const FloatVector signed_rest = hn::IfThenElse(hn::Eq(rest, hn::Zero(FloatTag())), hn::CopySign(rest, a), rest);
    return hn::IfThenElse(other_sign, hn::Add(rest, b), signed_rest);
  }
  template <class T>
  static HWY_INLINE T one(T a, T b) {
    if constexpr (kIsReal<T>) {
      const double y = static_cast<double>(b);
      const double rest = __builtin_fmod(static_cast<double>(a), y);
      return static_cast<T>(rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest);
    } else {
      const T rest = static_cast<T>(a % b);
      return static_cast<T>(rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest);
    }
  }
};

template <class Op, class T>
HWY_INLINE T divide_one(T a, T b) {
  if constexpr (!kIsReal<T>) {
    if (b == 0) return T(0);
    if (b == static_cast<T>(-1) && static_cast<T>(-1) < T(0)) {
      // The smallest number divided by -1 is no number of the type: it wraps around.
      using U = typename Unsigned<sizeof(T)>::Type;
      return __is_same(Op, Rest) ? T(0) : static_cast<T>(U(0) - static_cast<U>(a));
    }
  }
  return Op::template one<T>(a, b);
}

// Divides a block of doubles in place. Gives false where that may be inexact.
template <class Op, class T>
HWY_INLINE bool divide_block(double* a, const double* b) {
  const DoubleTag d;
  const DoubleVector zero = hn::Zero(d);
  auto exact = hn::Eq(zero, zero);
  for (size_t i = 0; i < kBlock; i += hn::Lanes(d)) {
    DoubleVector x = hn::Load(d, a + i);
    DoubleVector z = hn::Load(d, b + i);
    if constexpr (!kIsReal<T>) {  // integers divided by zero give zero: 0 / 1
      const auto by_zero = hn::Eq(z, zero);
      x = hn::IfThenElse(by_zero, zero, x);
      z = hn::IfThenElse(by_zero, set(d, 1.0), z);
    }
    const DoubleVector ratio = hn::Div(x, z);
    if constexpr (kIsReal<T>) {
      // A quotient below 2^28 times a divisor of 24 bits is exact, and so is which integers it lies between.
      exact = hn::And(exact, hn::Lt(hn::Abs(ratio), set(d, 0x1p28)));
    } else if constexpr (sizeof(T) == sizeof(int64_t)) {
      exact = hn::And(exact, hn::Lt(hn::Max(hn::Abs(x), hn::Abs(z)), set(d, 0x1p51)));
    }
    hn::Store(Op::by_double(x, z, ratio, hn::Trunc(ratio)), d, a + i);
  }
  return hn::AllTrue(d, exact);
}

template <class Op, class T, bool kOneLeft, bool kOneRight>
void divide(const void* a, const void* b, void* y, size_t count) {
  const T* left = static_cast<const T*>(a);
  const T* right = static_cast<const T*>(b);
  T* to = static_cast<T*>(y);
  HWY_ALIGN double numerator[kBlock] = {};
  HWY_ALIGN double divisor[kBlock];
  for (double& x : divisor) x = 1;
  for (size_t begin = 0; begin < count; begin += kBlock) {
    const size_t size = count - begin < kBlock ? count - begin : kBlock;
    for (size_t i = 0; i < size; ++i) numerator[i] = static_cast<double>(left[kOneLeft ? 0 : begin + i]);
    for (size_t i = 0; i < size; ++i) divisor[i] = static_cast<double>(right[kOneRight ? 0 : begin + i]);
    for (size_t i = size; i < kBlock; ++i) numerator[i] = 0;
    if (!divide_block<Op, T>(numerator, divisor)) {
      for (size_t i = 0; i < size; ++i) {
        to[begin + i] = divide_one<Op, T>(left[kOneLeft ? 0 : begin + i], right[kOneRight ? 0 : begin + i]);
      }
    } else if constexpr (kIsReal<T>) {
      for (size_t i = 0; i < size; ++i) to[begin + i] = static_cast<T>(numerator[i]);
    } else {
      // Of narrow types the upper bits are cut: the smallest number divided by -1 has one too many.
      for (size_t i = 0; i < size; ++i) to[begin + i] = static_cast<T>(static_cast<int64_t>(numerator[i]));
    }
  }
}

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
using FloatMask = hn::Mask<FloatTag>;

// Floats need no doubles where multiplication and addition are fused: if the quotient is below 2^22, a - nearest * b is
// exact, as IEEE 754's remainder is, so that its sign tells on which side of the integer the quotient lies.
template <class Op>
HWY_INLINE FloatVector divide_floats(FloatVector a, FloatVector b, bool& exact) {
  const FloatTag d;
  const FloatVector zero = hn::Zero(d);
  const FloatVector ratio = hn::Div(a, b);
  const FloatVector nearest = hn::Round(ratio);
  const FloatVector rest = hn::NegMulAdd(nearest, b, a);
  exact = hn::AllTrue(d, hn::And(hn::Lt(hn::Abs(ratio), set(d, 0x1p22)), hn::Eq(rest, rest)));
  const FloatMask other_sign = hn::Lt(hn::Xor(rest, hn::And(b, set(d, -0.0))), zero);
  return Op::by_float(a, b, ratio, nearest, rest, other_sign);
}

template <class Op, bool kOneLeft, bool kOneRight>
void divide_line(const void* a, const void* b, void* y, size_t count) {
  const FloatTag d;
  const float* left = static_cast<const float*>(a);
  const float* right = static_cast<const float*>(b);
  float* to = static_cast<float*>(y);
  const FloatVector one_left = hn::Set(d, *left);
  const FloatVector one_right = hn::Set(d, *right);
  for (size_t i = 0; i < count; i += kFloatLanes) {
    const size_t width = count - i < kFloatLanes ? count - i : kFloatLanes;
    const bool whole = width == kFloatLanes;
    const FloatVector x = kOneLeft ? one_left : whole ? hn::LoadU(d, left + i) : load_partial(d, left + i, width);
    FloatVector z = kOneRight ? one_right : whole ? hn::LoadU(d, right + i) : load_partial(d, right + i, width);
    if (!whole) z = hn::IfThenElse(hn::FirstN(d, width), z, set(d, 1.0));
    bool exact;
    const FloatVector result = divide_floats<Op>(x, z, exact);
    if (!exact) {
      HWY_ALIGN float from[kFloatLanes];
      HWY_ALIGN float by[kFloatLanes];
      hn::Store(x, d, from);
      hn::Store(z, d, by);
      for (size_t lane = 0; lane < width; ++lane) to[i + lane] = divide_one<Op, float>(from[lane], by[lane]);
    } else if (whole) {
      hn::StoreU(result, d, to + i);
    } else {
      store_partial(d, result, to + i, width);
    }
  }
}

template <class Op>
NumberBinaryLoops division_of_floats() {
  return {divide_line<Op, false, false>, divide_line<Op, false, true>, divide_line<Op, true, false>};
}
#else
template <class Op>
NumberBinaryLoops division_of_floats() {
  return {divide<Op, float, false, false>, divide<Op, float, false, true>, divide<Op, float, true, false>};
}
#endif

template <class Op, class T>
NumberBinaryLoops division_of() {
  return {divide<Op, T, false, false>, divide<Op, T, false, true>, divide<Op, T, true, false>};
}

// ---- by kind and type

template <class T>
NumberBinaryLoops arithmetic(NumberBinaryKind kind) {
  switch (kind) {
    case NumberBinaryKind::kAdd: return loops_of<AddOp, T>();
    case NumberBinaryKind::kSubtract: return loops_of<SubtractOp, T>();
    case NumberBinaryKind::kMultiply: return loops_of<MultiplyOp, T>();
    case NumberBinaryKind::kMaximum: return loops_of<MaximumOp, T>();
    case NumberBinaryKind::kMinimum: return loops_of<MinimumOp, T>();
    default: break;
  }
  if constexpr (!kIsReal<T>) {
    switch (kind) {
      case NumberBinaryKind::kDivide: return division_of<Truncated, T>();
      case NumberBinaryKind::kFloorDivide: return division_of<Floored, T>();
      case NumberBinaryKind::kRemainder: return division_of<Rest, T>();
      default: break;
    }
  }
  return {};
}

template <class T>
NumberBinaryLoops bits(NumberBinaryKind kind) {
  switch (kind) {
    case NumberBinaryKind::kAnd: return loops_of<AndOp, T>();
    case NumberBinaryKind::kOr: return loops_of<OrOp, T>();
    case NumberBinaryKind::kXor: return loops_of<XorOp, T>();
    default: return {};
  }
}

template <class T>
NumberBinaryLoops comparison(NumberBinaryKind kind) {
  switch (kind) {
    case NumberBinaryKind::kEqual: return loops_of<EqualOp, T>();
    case NumberBinaryKind::kNotEqual: return loops_of<NotEqualOp, T>();
    case NumberBinaryKind::kLess: return loops_of<LessOp, T>();
    case NumberBinaryKind::kLessEqual: return loops_of<LessEqualOp, T>();
    case NumberBinaryKind::kGreater: return loops_of<GreaterOp, T>();
    case NumberBinaryKind::kGreaterEqual: return loops_of<GreaterEqualOp, T>();
    case NumberBinaryKind::kLogicalAnd: return loops_of<LogicalAndOp, T>();
    case NumberBinaryKind::kLogicalOr: return loops_of<LogicalOrOp, T>();
    case NumberBinaryKind::kLogicalXor: return loops_of<LogicalXorOp, T>();
    default: return {};
  }
}

template <class T>
NumberBinaryLoops whole(NumberBinaryKind kind) {
  if (gives_bool(kind)) return comparison<T>(kind);
  const NumberBinaryLoops of_bits = bits<T>(kind);
  return of_bits.same != nullptr ? of_bits : arithmetic<T>(kind);
}

NumberBinaryLoops loops(NumberBinaryKind kind, NumberType type) {
  switch (type) {
    case NumberType::kBool:  // bytes of 0 and 1
      return gives_bool(kind) ? comparison<uint8_t>(kind) : bits<uint8_t>(kind);
    case NumberType::kUint8: return whole<uint8_t>(kind);
    case NumberType::kInt8: return whole<int8_t>(kind);
    case NumberType::kInt16: return whole<int16_t>(kind);
    case NumberType::kInt32: return whole<int32_t>(kind);
    case NumberType::kInt64: return whole<int64_t>(kind);
    case NumberType::kFloat32:  // for the rest see binary.h
      if (kind == NumberBinaryKind::kFloorDivide) return division_of_floats<Floored>();
      if (kind == NumberBinaryKind::kRemainder) return division_of_floats<Rest>();
      return comparison<float>(kind);
    case NumberType::kFloat64: return gives_bool(kind) ? comparison<double>(kind) : arithmetic<double>(kind);
    case NumberType::kFloat16:
    case NumberType::kBfloat16: return {};
  }
  return {};
}

}  // namespace

const NumberBinaryFunctions number_binary = {loops};

}  // namespace coracle::internal::cpu::CORACLE_ISA
