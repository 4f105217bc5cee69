// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/number_reduce.h"

#include "devices/cpu/isa/extremes.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

// Plain loops, which the compiler vectorises. Rows are folded in lanes, element i into lane i modulo kLanes, then the
// lanes in order.

constexpr size_t kLanes = 32;
constexpr size_t kColumns = 64;

template <class T>
constexpr bool kIsReal = static_cast<T>(0.5) != T();

template <bool kFirst, class A, class B>
struct Choice {
  using Type = A;
};
template <class A, class B>
struct Choice<false, A, B> {
  using Type = B;
};

template <class T>
struct Limits {
  static constexpr bool kSigned = static_cast<T>(-1) < T(0);
  static constexpr T kSmallest = kSigned ? static_cast<T>(uint64_t{1} << (8 * sizeof(T) - 1)) : T(0);
  static constexpr T kLargest = static_cast<T>(~kSmallest);
};

// An accumulator of type A takes elements of type T; sums of integers run in uint64_t and wrap around.
template <class T, class Y>
struct SumOp {
  using A = typename Choice<kIsReal<T>, T, uint64_t>::Type;
  static constexpr A kNone = 0;
  static HWY_INLINE A step(A a, T x) { return a + static_cast<A>(x); }
  static HWY_INLINE A join(A a, A b) { return a + b; }
};
template <class T, class Y>
struct ProductOp {
  using A = typename Choice<kIsReal<T>, T, uint64_t>::Type;
  static constexpr A kNone = 1;
  static HWY_INLINE A step(A a, T x) { return a * static_cast<A>(x); }
  static HWY_INLINE A join(A a, A b) { return a * b; }
};
template <class T, class Y>
struct MaxOp {
  using A = T;
  static constexpr A kNone = Limits<T>::kSmallest;
  static HWY_INLINE A step(A a, T x) { return x > a ? x : a; }
  static HWY_INLINE A join(A a, A b) { return step(a, b); }
};
template <class T, class Y>
struct MinOp {
  using A = T;
  static constexpr A kNone = Limits<T>::kLargest;
  static HWY_INLINE A step(A a, T x) { return x < a ? x : a; }
  static HWY_INLINE A join(A a, A b) { return step(a, b); }
};
// The bits of |x| have the order of the numbers, and NaN is above infinity.
HWY_INLINE int32_t magnitude(float x) { return __builtin_bit_cast(int32_t, x) & 0x7fffffff; }
template <class T, class Y>
struct MaxAbsOp {
  using A = int32_t;
  static constexpr A kNone = 0;
  static HWY_INLINE A step(A a, T x) { return join(a, magnitude(x)); }
  static HWY_INLINE A join(A a, A b) { return a < b ? b : a; }
  static HWY_INLINE Y result(A a) { return __builtin_bit_cast(Y, a); }
};
// Moved so far that infinity is the largest int32_t, they make NaN negative.
template <class T, class Y>
struct MinAbsOp {
  using A = int32_t;
  static constexpr uint32_t kMove = 0x7fffff;
  static constexpr A kNone = Limits<A>::kLargest;
  static HWY_INLINE A step(A a, T x) { return join(a, static_cast<A>(static_cast<uint32_t>(magnitude(x)) + kMove)); }
  static HWY_INLINE A join(A a, A b) { return b < a ? b : a; }
  static HWY_INLINE Y result(A a) { return __builtin_bit_cast(Y, static_cast<uint32_t>(a) - kMove); }
};
template <class T, class Y>
struct AllOp {
  using A = uint8_t;
  static constexpr A kNone = 1;
  static HWY_INLINE A step(A a, T x) { return static_cast<A>(a & static_cast<A>(x != T())); }
  static HWY_INLINE A join(A a, A b) { return static_cast<A>(a & b); }
};
template <class T, class Y>
struct AnyOp {
  using A = uint8_t;
  static constexpr A kNone = 0;
  static HWY_INLINE A step(A a, T x) { return static_cast<A>(a | static_cast<A>(x != T())); }
  static HWY_INLINE A join(A a, A b) { return static_cast<A>(a | b); }
};

template <class Op, class Y>
HWY_INLINE Y result_of(typename Op::A a) {
  if constexpr (requires { Op::result(a); }) {
    return Op::result(a);
  } else {
    return static_cast<Y>(a);
  }
}

template <class Op, class T, class Y>
void rows_of(const T* x, Y* y, size_t rows, size_t n) {
  using A = typename Op::A;
  for (size_t r = 0; r < rows; ++r, x += n) {
    A lanes[kLanes];
    for (A& lane : lanes) lane = Op::kNone;
    size_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
      for (size_t l = 0; l < kLanes; ++l) lanes[l] = Op::step(lanes[l], x[i + l]);
    }
    for (size_t l = 0; i < n; ++i, ++l) lanes[l] = Op::step(lanes[l], x[i]);
    A all = lanes[0];
    for (size_t l = 1; l < kLanes; ++l) all = Op::join(all, lanes[l]);
    y[r] = result_of<Op, Y>(all);
  }
}

template <class Op, class T, class Y>
void strided_of(const T* x, Y* y, size_t n, size_t inner, size_t begin, size_t end) {
  using A = typename Op::A;
  for (; begin < end; begin += kColumns) {
    const size_t size = end - begin < kColumns ? end - begin : kColumns;
    A columns[kColumns];
    for (A& column : columns) column = Op::kNone;
    for (size_t k = 0; k < n; ++k) {
      const T* from = x + k * inner + begin;
      for (size_t i = 0; i < size; ++i) columns[i] = Op::step(columns[i], from[i]);
    }
    for (size_t i = 0; i < size; ++i) y[begin + i] = result_of<Op, Y>(columns[i]);
  }
}

// f(Op, element, result) for a loop that there is; gives whether there is one.
template <template <class, class> class Op, class T, class Y, class F>
HWY_INLINE bool found(F f) {
  f(Op<T, Y>(), T(), Y());
  return true;
}

template <class T, class F>
bool with_whole(NumberReduceKind kind, bool wide, F f) {
  switch (kind) {
    case NumberReduceKind::kSum: return wide ? found<SumOp, T, int64_t>(f) : found<SumOp, T, T>(f);
    case NumberReduceKind::kProduct: return wide ? found<ProductOp, T, int64_t>(f) : found<ProductOp, T, T>(f);
    case NumberReduceKind::kMax: return !wide && found<MaxOp, T, T>(f);
    case NumberReduceKind::kMin: return !wide && found<MinOp, T, T>(f);
    default: return false;
  }
}

// Of float32 only what reduce.h does not have; for extremes of float64 see below.
template <class F>
bool with_real(NumberReduceKind kind, NumberType type, F f) {
  const bool wide = type == NumberType::kFloat64;
  switch (kind) {
    case NumberReduceKind::kSum: return wide && found<SumOp, double, double>(f);
    case NumberReduceKind::kProduct: return wide && found<ProductOp, double, double>(f);
    case NumberReduceKind::kMaxAbs: return !wide && found<MaxAbsOp, float, float>(f);
    case NumberReduceKind::kMinAbs: return !wide && found<MinAbsOp, float, float>(f);
    default: return false;
  }
}

template <class T, class F>
bool with_logic(NumberReduceKind kind, F f) {
  return kind == NumberReduceKind::kAll ? found<AllOp, T, uint8_t>(f) : found<AnyOp, T, uint8_t>(f);
}

template <class F>
bool with_loop(NumberReduceKind kind, NumberType from, NumberType to, F f) {
  if (kind == NumberReduceKind::kAll || kind == NumberReduceKind::kAny) {
    if (to != NumberType::kBool) return false;
    switch (from) {
      case NumberType::kBool: return with_logic<uint8_t>(kind, f);
      case NumberType::kInt32: return with_logic<int32_t>(kind, f);
      case NumberType::kInt64: return with_logic<int64_t>(kind, f);
      case NumberType::kFloat32: return with_logic<float>(kind, f);
      default: return false;
    }
  }
  const bool wide = to == NumberType::kInt64 && from != NumberType::kInt64;
  if (!wide && to != from) return false;
  switch (from) {
    case NumberType::kBool: return wide && kind == NumberReduceKind::kSum && with_whole<uint8_t>(kind, true, f);
    case NumberType::kUint8: return with_whole<uint8_t>(kind, wide, f);
    case NumberType::kInt32: return with_whole<int32_t>(kind, wide, f);
    case NumberType::kInt64: return with_whole<int64_t>(kind, false, f);
    case NumberType::kFloat32:
    case NumberType::kFloat64: return !wide && with_real(kind, from, f);
    default: return false;
  }
}

bool is_real_extreme(NumberReduceKind kind, NumberType from, NumberType to) {
  return from == NumberType::kFloat64 && to == from &&
         (kind == NumberReduceKind::kMax || kind == NumberReduceKind::kMin);
}

bool has(NumberReduceKind kind, NumberType from, NumberType to) {
  return is_real_extreme(kind, from, to) || with_loop(kind, from, to, [](auto, auto, auto) {});
}

void rows(NumberReduceKind kind, NumberType from, NumberType to, const void* x, void* y, size_t count, size_t n) {
  if (is_real_extreme(kind, from, to)) {
    const auto f = kind == NumberReduceKind::kMax ? extremes_of_rows<true, double> : extremes_of_rows<false, double>;
    return f(static_cast<const double*>(x), static_cast<double*>(y), count, n);
  }
  with_loop(kind, from, to, [=](auto op, auto element, auto result) {
    using T = decltype(element);
    using Y = decltype(result);
    rows_of<decltype(op), T, Y>(static_cast<const T*>(x), static_cast<Y*>(y), count, n);
  });
}

void strided(NumberReduceKind kind, NumberType from, NumberType to, const void* x, void* y, size_t n, size_t inner,
             size_t begin, size_t end) {
  if (is_real_extreme(kind, from, to)) {
    const auto f =
        kind == NumberReduceKind::kMax ? extremes_of_columns<true, double> : extremes_of_columns<false, double>;
    return f(static_cast<const double*>(x), static_cast<double*>(y), n, inner, begin, end);
  }
  with_loop(kind, from, to, [=](auto op, auto element, auto result) {
    using T = decltype(element);
    using Y = decltype(result);
    strided_of<decltype(op), T, Y>(static_cast<const T*>(x), static_cast<Y*>(y), n, inner, begin, end);
  });
}

template <bool kLargest, class T>
void arg_rows_of(const T* x, int64_t* y, size_t rows, size_t n) {
  using Op = typename Choice<kLargest, MaxOp<T, T>, MinOp<T, T>>::Type;
  for (size_t r = 0; r < rows; ++r, x += n) {
    T best;
    rows_of<Op, T, T>(x, &best, 1, n);
    size_t at = 0;
    for (; at + kColumns <= n; at += kColumns) {  // a block without it is passed over as a whole
      uint8_t equal = 0;
      for (size_t i = 0; i < kColumns; ++i) equal = static_cast<uint8_t>(equal | (x[at + i] == best));
      if (equal != 0) break;
    }
    while (at < n && x[at] != best) ++at;
    y[r] = static_cast<int64_t>(at < n ? at : 0);
  }
}

template <bool kLargest, class T>
void arg_strided_of(const T* x, int64_t* y, size_t n, size_t inner, size_t begin, size_t end) {
  for (; begin < end; begin += kColumns) {
    const size_t size = end - begin < kColumns ? end - begin : kColumns;
    T best[kColumns];
    int64_t at[kColumns] = {};
    for (size_t i = 0; i < size; ++i) best[i] = x[begin + i];
    for (size_t k = 1; k < n; ++k) {
      const T* from = x + k * inner + begin;
      for (size_t i = 0; i < size; ++i) {
        const bool better = kLargest ? from[i] > best[i] : from[i] < best[i];
        best[i] = better ? from[i] : best[i];
        at[i] = better ? static_cast<int64_t>(k) : at[i];
      }
    }
    for (size_t i = 0; i < size; ++i) y[begin + i] = at[i];
  }
}

// f(an element of the type)
template <class F>
HWY_INLINE void with_whole_type(NumberType type, F f) {
  switch (type) {
    case NumberType::kUint8: return f(uint8_t());
    case NumberType::kInt32: return f(int32_t());
    case NumberType::kInt64: return f(int64_t());
    default: return;
  }
}

void arg_rows(bool largest, NumberType from, const void* x, int64_t* y, size_t count, size_t n) {
  with_whole_type(from, [=](auto element) {
    using T = decltype(element);
    (largest ? arg_rows_of<true, T> : arg_rows_of<false, T>)(static_cast<const T*>(x), y, count, n);
  });
}

void arg_strided(bool largest, NumberType from, const void* x, int64_t* y, size_t n, size_t inner, size_t begin,
                 size_t end) {
  with_whole_type(from, [=](auto element) {
    using T = decltype(element);
    (largest ? arg_strided_of<true, T> : arg_strided_of<false, T>)(static_cast<const T*>(x), y, n, inner, begin, end);
  });
}

}  // namespace

const NumberReduceFunctions number_reduce = {has, rows, strided, arg_rows, arg_strided};

}  // namespace coracle::internal::cpu::CORACLE_ISA
