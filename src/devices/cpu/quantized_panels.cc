// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/quantized_panels.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

/// Panels of matrices that nobody knew before the run: as fast as the products of few rows need it.
namespace coracle::internal::cpu {
namespace {

/// Numbers of a group.
template <class T>
constexpr auto kPer = static_cast<int64_t>(4 / sizeof(T));

/// Numbers `step` apart as a group.
template <class T>
[[gnu::always_inline]] inline uint32_t group_of(const int8_t* from, int64_t step) {
  uint32_t group = 0;
  for (int64_t i = 0; i < kPer<T>; ++i) {
    const auto number = static_cast<std::make_unsigned_t<T>>(static_cast<T>(from[i * step]));
    group |= static_cast<uint32_t>(number) << (i * 8 * static_cast<int64_t>(sizeof(T)));
  }
  return group;
}

/// Numbers [k, b.depth) of each column, one by one.
template <class T>
[[gnu::cold]] void pack_numbers(const QuantizedMatrix& b, const int8_t* from, int64_t k, int64_t used, int64_t width,
                                std::byte* to) {
  for (; k < b.depth; ++k) {
    for (int64_t c = 0; c < used; ++c) {
      const int32_t wide{from[k * b.inner_stride + c * b.column_stride]};
      const auto number = static_cast<T>(wide);
      const int64_t place = (k / kPer<T> * width + c) * kPer<T> + k % kPer<T>;
      std::memcpy(to + place * static_cast<int64_t>(sizeof(T)), &number, sizeof(number));
    }
  }
}

/// Groups of T along k, those of `width` columns one behind the other. `to` is zeros.
template <class T>
void pack_groups(const QuantizedMatrix& b, const int8_t* from, int64_t used, int64_t width, uint32_t* to) {
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
  pack_numbers<T>(b, from, whole * kPer<T>, used, width, reinterpret_cast<std::byte*>(to));
}

#if defined(__aarch64__)
/// Two groups of each column one behind the other.
void join_groups(int64_t groups, int64_t width, uint32_t* numbers) {
  constexpr int64_t kMostColumns = 8;
  uint32_t second[kMostColumns];
  for (int64_t g = 0; g + 2 <= groups; g += 2, numbers += 2 * width) {
    std::copy_n(numbers + width, width, second);
    for (int64_t c = width; c-- > 0;) {
      numbers[2 * c] = numbers[c];
      numbers[2 * c + 1] = second[c];
    }
  }
}
#endif

int64_t stored_columns(const QuantizedGemmFunctions& f, int64_t columns) {
  return (columns + f.lanes - 1) / f.lanes * f.lanes;
}

}  // namespace

size_t packed_bytes(const QuantizedGemmFunctions& functions, const QuantizedMatrix& matrix) {
  return bytes_of<int32_t>(Size(stored_columns(functions, matrix.columns)) *
                           (Size(1) + functions.groups(matrix.depth)));
}

void pack_panel(const QuantizedGemmFunctions& functions, const QuantizedMatrix& matrix, int64_t panel,
                void* packed) noexcept {
  const int64_t first = panel * 2 * functions.lanes;
  const int64_t used = std::min(2 * functions.lanes, matrix.columns - first);
  const int64_t width = used > functions.lanes ? 2 * functions.lanes : functions.lanes;
  const int64_t groups = functions.groups(matrix.depth);
  auto* const starts = static_cast<uint32_t*>(packed) + first * (1 + groups);
  uint32_t* const numbers = starts + width;
  std::fill_n(starts, width * (1 + groups), 0U);
  const int8_t* from = matrix.data + first * matrix.column_stride;
  if (functions.element_bytes != 1) return pack_groups<int16_t>(matrix, from, used, width, numbers);
  pack_groups<int8_t>(matrix, from, used, width, numbers);
  for (int64_t g = 0; g < groups; ++g) {
    for (int64_t c = 0; c < width; ++c) {
      // The four numbers plus 128 each.
      const uint32_t v = numbers[g * width + c] ^ 0x80808080U;
      const uint32_t pairs = (v & 0xff00ffU) + (v >> 8 & 0xff00ffU);
      starts[c] -= 128U * ((pairs & 0xffffU) + (pairs >> 16) - 4 * 128U);
    }
  }
#if defined(__aarch64__)
  if (functions.group_bytes == 8) join_groups(groups, width, numbers);
#endif
}

}  // namespace coracle::internal::cpu
