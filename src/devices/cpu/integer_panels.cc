// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/integer_panels.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

/// Panels of matrices that nobody knew before the run: as fast as the products of few rows need it.
namespace coracle::cpu {
namespace {

/// Numbers of a group.
template <class T>
constexpr auto kPer = static_cast<int64_t>(4 / sizeof(T));

/// `count` numbers, `step` apart, as a group.
template <class T>
[[gnu::always_inline]] inline uint32_t group_of(const int8_t* from, int64_t step, int64_t count = kPer<T>) {
  uint32_t group = 0;
  for (int64_t i = 0; i < count; ++i) {
    const auto number = static_cast<std::make_unsigned_t<T>>(static_cast<T>(from[i * step]));
    group |= static_cast<uint32_t>(number) << (i * 8 * static_cast<int64_t>(sizeof(T)));
  }
  return group;
}

/// Groups of T along k, those of `width` columns one behind the other. Columns from `used` on are left out.
template <class T>
void pack_groups(const IntegerMatrix& b, const int8_t* from, int64_t used, int64_t width, uint32_t* to) {
  const int64_t step = b.inner_stride;
  const int64_t whole = b.depth / kPer<T>;
  if (step == 1) {
    for (int64_t c = 0; c < used; ++c) {
      const int8_t* column = from + c * b.column_stride;
      for (int64_t g = 0; g < whole; ++g) to[g * width + c] = group_of<T>(column + g * kPer<T>, 1);
    }
  } else {
    for (int64_t g = 0; g < whole; ++g) {
      const int8_t* row = from + g * kPer<T> * step;
      for (int64_t c = 0; c < used; ++c) to[g * width + c] = group_of<T>(row + c, step);
    }
  }
  const int64_t done = whole * kPer<T>;
  if (done == b.depth) return;
  from += done * step;
  for (int64_t c = 0; c < used; ++c) {
    to[whole * width + c] = group_of<T>(from + c * b.column_stride, step, b.depth - done);
  }
}

int64_t stored_columns(const IntegerGemmFunctions& f, int64_t columns) {
  return (columns + f.lanes - 1) / f.lanes * f.lanes;
}

}  // namespace

size_t packed_bytes(const IntegerGemmFunctions& functions, const IntegerMatrix& matrix) {
  return bytes_of<int32_t>(Size(stored_columns(functions, matrix.columns)) *
                           (Size(1) + functions.groups(matrix.depth)));
}

void pack_panel(const IntegerGemmFunctions& functions, const IntegerMatrix& matrix, int64_t panel,
                void* packed) noexcept {
  const int64_t first = panel * 2 * functions.lanes;
  const int64_t used = std::min(2 * functions.lanes, matrix.columns - first);
  const int64_t width = used > functions.lanes ? 2 * functions.lanes : functions.lanes;
  const int64_t groups = functions.groups(matrix.depth);
  auto* const starts = static_cast<uint32_t*>(packed) + first * (1 + groups);
  uint32_t* const numbers = starts + width;
  std::fill_n(starts, used < width ? width * (1 + groups) : width, 0U);
  const int8_t* from = matrix.data + first * matrix.column_stride;
  if (functions.element_bytes != 1) return pack_groups<int16_t>(matrix, from, used, width, numbers);
  pack_groups<int8_t>(matrix, from, used, width, numbers);
  for (int64_t g = 0; g < groups; ++g) {
    for (int64_t c = 0; c < width; ++c) {
      int8_t of_group[4];
      std::memcpy(of_group, numbers + g * width + c, sizeof(of_group));
      const int32_t sum = of_group[0] + of_group[1] + of_group[2] + of_group[3];
      starts[c] -= 128U * static_cast<uint32_t>(sum);
    }
  }
}

}  // namespace coracle::cpu
