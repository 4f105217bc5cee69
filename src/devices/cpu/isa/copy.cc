// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/copy.h"

#include <cstring>

#include "base/copy_bytes.h"
#include "devices/cpu/isa/vector.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

template <size_t kBytes>
HWY_INLINE void fixed_rows(const uint8_t* x, size_t x_stride, uint8_t* y, size_t y_stride, size_t rows) {
  for (size_t r = 0; r < rows; ++r) std::memcpy(y + r * y_stride, x + r * x_stride, kBytes);
}

void rows(const void* x, size_t x_stride, void* y, size_t y_stride, size_t rows, size_t row_bytes) {
  const uint8_t* from = static_cast<const uint8_t*>(x);
  uint8_t* to = static_cast<uint8_t*>(y);
  if (row_bytes == 0 || rows == 0) return;
  if (x_stride == row_bytes && y_stride == row_bytes) {
    copy_bytes(to, from, rows * row_bytes);
    return;
  }
  switch (row_bytes) {  // sizes for which a call would cost more than the copy
    case 4: return fixed_rows<4>(from, x_stride, to, y_stride, rows);
    case 8: return fixed_rows<8>(from, x_stride, to, y_stride, rows);
    case 16: return fixed_rows<16>(from, x_stride, to, y_stride, rows);
    case 32: return fixed_rows<32>(from, x_stride, to, y_stride, rows);
    case 64: return fixed_rows<64>(from, x_stride, to, y_stride, rows);
    default:
      for (size_t r = 0; r < rows; ++r) copy_bytes(to + r * y_stride, from + r * x_stride, row_bytes);
  }
}

template <class Id>
HWY_INLINE int64_t gather(const GatherRows& p, const Id* ids, int64_t count) {
  const uint8_t* table = static_cast<const uint8_t*>(p.table);
  uint8_t* y = static_cast<uint8_t*>(p.y);
  for (int64_t i = 0; i < count; ++i, y += p.row_bytes) {
    const int64_t id = ids[i];
    if (id == p.zero_id) {
      std::memset(y, 0, p.row_bytes);
      continue;
    }
    if (id < 0 || id >= p.table_rows) return i;
    copy_bytes(y, table + static_cast<size_t>(id) * p.row_bytes, p.row_bytes);
  }
  return -1;
}

int64_t gather_int64(const GatherRows& p, const int64_t* ids, int64_t count) { return gather(p, ids, count); }
int64_t gather_int32(const GatherRows& p, const int32_t* ids, int64_t count) { return gather(p, ids, count); }

}  // namespace

const CopyFunctions copy = {rows, gather_int64, gather_int32};

}  // namespace coracle::internal::cpu::CORACLE_ISA
