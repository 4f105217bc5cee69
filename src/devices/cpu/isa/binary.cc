// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/binary.h"

#include "devices/cpu/isa/map.h"
#include "devices/cpu/isa/math_wide.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

using V = FloatVector;

constexpr size_t kBlock = 2048;  // floats between the operation and the steps after it: stays in the first-level cache
constexpr size_t kShortRow = 64;
constexpr size_t kRepeated = 512;

// Calls f with the operation on vectors, so that each loop is compiled once per operation.
template <class F>
HWY_INLINE void with_operation(BinaryKind kind, F f) {
  switch (kind) {
    case BinaryKind::kAdd: return f([](V a, V b) { return hn::Add(a, b); });
    case BinaryKind::kSubtract: return f([](V a, V b) { return hn::Sub(a, b); });
    case BinaryKind::kMultiply: return f([](V a, V b) { return hn::Mul(a, b); });
    case BinaryKind::kDivide: return f([](V a, V b) { return hn::Div(a, b); });
    // What is not a number stays so.
    case BinaryKind::kMaximum:
      return f([](V a, V b) { return hn::IfThenElse(hn::Or(hn::Gt(a, b), hn::IsNaN(a)), a, b); });
    case BinaryKind::kMinimum:
      return f([](V a, V b) { return hn::IfThenElse(hn::Or(hn::Lt(a, b), hn::IsNaN(a)), a, b); });
    case BinaryKind::kPow: return f([](V a, V b) { return math::pow(FloatTag(), a, b); });
    case BinaryKind::kPrelu:
      return f([](V a, V b) { return hn::IfThenElse(hn::Gt(a, hn::Zero(FloatTag())), a, hn::Mul(b, a)); });
  }
}

// f(begin, size) computes y[begin, begin + size); `after` follows while it is in cache.
template <class F>
HWY_INLINE void in_blocks(float* y, size_t count, UnaryChain after, F f) {
  if (after.count == 0) return f(0, count);
  for (size_t begin = 0; begin < count; begin += kBlock) {
    const size_t size = count - begin < kBlock ? count - begin : kBlock;
    f(begin, size);
    unary.chain(after.steps, after.count, y + begin, y + begin, size);
  }
}

void same(BinaryKind kind, const float* a, const float* b, float* y, size_t count, UnaryChain after) {
  in_blocks(y, count, after, [=](size_t begin, size_t size) {
    with_operation(kind, [=](auto operation) { map2(a + begin, b + begin, y + begin, size, operation); });
  });
}

void scalar_right(BinaryKind kind, const float* a, float b, float* y, size_t count, UnaryChain after) {
  const V value = hn::Set(FloatTag(), b);
  in_blocks(y, count, after, [=](size_t begin, size_t size) {
    with_operation(
        kind, [=](auto operation) { map<2>(a + begin, y + begin, size, [=](V v) { return operation(v, value); }); });
  });
}

void scalar_left(BinaryKind kind, float a, const float* b, float* y, size_t count, UnaryChain after) {
  const V value = hn::Set(FloatTag(), a);
  in_blocks(y, count, after, [=](size_t begin, size_t size) {
    with_operation(
        kind, [=](auto operation) { map<2>(b + begin, y + begin, size, [=](V v) { return operation(value, v); }); });
  });
}

// f(begin, size, row) computes `size` results against the elements of `row`; short rows are repeated first.
template <class F>
HWY_INLINE void by_rows(const float* row, size_t rows, size_t columns, F f) {
  if (columns == 0) return;
  float repeated[kRepeated];
  size_t together = 1;
  if (columns < kShortRow && rows > 1) {
    together = kRepeated / columns < rows ? kRepeated / columns : rows;
    for (size_t r = 0; r < together; ++r) {
      for (size_t c = 0; c < columns; ++c) repeated[r * columns + c] = row[c];
    }
    row = repeated;
  }
  for (size_t r = 0; r < rows; r += together) {
    f(r * columns, (rows - r < together ? rows - r : together) * columns, row);
  }
}

void row_right(BinaryKind kind, const float* a, const float* row, float* y, size_t rows, size_t columns,
               UnaryChain after) {
  by_rows(row, rows, columns, [=](size_t begin, size_t size, const float* against) {
    same(kind, a + begin, against, y + begin, size, after);
  });
}

void row_left(BinaryKind kind, const float* row, const float* b, float* y, size_t rows, size_t columns,
              UnaryChain after) {
  by_rows(row, rows, columns, [=](size_t begin, size_t size, const float* against) {
    same(kind, against, b + begin, y + begin, size, after);
  });
}

void column_right(BinaryKind kind, const float* a, const float* column, float* y, size_t rows, size_t columns,
                  UnaryChain after) {
  if (columns == 1) return same(kind, a, column, y, rows, after);
  for (size_t r = 0; r < rows; ++r) scalar_right(kind, a + r * columns, column[r], y + r * columns, columns, after);
}

void column_left(BinaryKind kind, const float* column, const float* b, float* y, size_t rows, size_t columns,
                 UnaryChain after) {
  if (columns == 1) return same(kind, column, b, y, rows, after);
  for (size_t r = 0; r < rows; ++r) scalar_left(kind, column[r], b + r * columns, y + r * columns, columns, after);
}

}  // namespace

const BinaryFunctions binary = {same, scalar_right, scalar_left, row_right, row_left, column_right, column_left};

}  // namespace coracle::internal::cpu::CORACLE_ISA
