// SPDX-License-Identifier: Apache-2.0
#include "ops/quantize/weight_packing.h"

#include "base/buffer.h"

namespace coracle::internal {
namespace {

constexpr int64_t kTileRows = 64;

/// Where number [row, column] stands in a packed matrix.
int64_t packed_place(const WeightPacking& packing, int64_t row, int64_t column, int64_t rows, int64_t columns) {
  if (packing.plain) return column * rows + row;
  int64_t at = row * columns + column;
  if (packing.tiled) {
    // Pairs of rows that one lane of a tensor core takes come together: row 8 i + 2 j + b of a group becomes
    // (2 bands) * j + 2 i + b.
    const int64_t group = packing.bits == 8 ? 16 : 32;
    const int64_t bands = group / 8;
    const int64_t in_group = row % group;
    const int64_t moved = in_group % 8 / 2 * 2 * bands + in_group / 8 * 2 + in_group % 2;
    const int64_t mixed = row / group * group + moved;
    // Some columns alternate in strips of kTileRows rows.
    const int64_t together = packing.bits == 8 ? 2 : 4;
    const int64_t strip = mixed / kTileRows * together + column % together;
    at = column / together * together * rows + strip * kTileRows + mixed % kTileRows;
  }
  // Even numbers of four bytes (eight halves) come first.
  const int64_t unit = packing.bits == 8 ? 4 : 8;
  const int64_t in_unit = at % unit;
  return at - in_unit + in_unit / 2 + in_unit % 2 * (unit / 2);
}

}  // namespace

WeightPacking weight_packing(std::string_view algo, int arch) {
  if (algo == "llm.int8") return {.bits = 8, .plain = true, .tiled = false};
  require(algo == "weight_only_int8" || algo == "weight_only_int4", ErrorCode::kUnsupported, "algo is '", algo,
          "', expected weight_only_int8, weight_only_int4 or llm.int8");
  return {.bits = algo == "weight_only_int4" ? 4 : 8, .plain = false, .tiled = arch != 70};
}

void require_packable(const WeightPacking& packing, int64_t rows, int64_t columns) {
  if (packing.plain) return;
  const int64_t unit = packing.tiled ? kTileRows : 1;
  const int64_t together = packing.tiled ? (packing.bits == 8 ? 2 : 4) : 8;
  require(rows % unit == 0 && columns % together == 0, ErrorCode::kUnsupported, "a packed matrix is [", rows, ", ",
          columns, "], expected multiples of ", unit, " and ", together);
}

void require_scales(const Shape& scales, int64_t rows, int64_t columns, int64_t group_size) {
  require(group_size == -1 || group_size > 0, "group_size is ", group_size, ", expected -1 or a positive number");
  const int64_t groups = group_size > 0 ? (rows + group_size - 1) / group_size : 1;
  require(scales.count() == groups * columns, "scales are ", scales, ", expected ", groups, " times ", columns);
}

void pack_weight(const WeightPacking& packing, const std::vector<int8_t>& whole, int64_t rows, int64_t columns,
                 int8_t* to) {
  std::fill_n(to, rows * columns * packing.bits / 8, int8_t{0});
  auto* bytes = reinterpret_cast<unsigned char*>(to);
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      // NOLINTNEXTLINE(bugprone-signed-char-misuse): it is a number
      const int number = whole[static_cast<size_t>(r * columns + c)];
      const int64_t place = packed_place(packing, r, c, rows, columns);
      if (packing.bits == 4) {
        const int half = (number + 8) << (place % 2 * 4);
        bytes[place / 2] = static_cast<unsigned char>(bytes[place / 2] | half);
      } else {
        bytes[place] = static_cast<unsigned char>(packing.plain ? number : number + 128);
      }
    }
  }
}

Buffer<int8_t> unpacked_integers(const RunContext& context, const WeightPacking& packing, const int8_t* packed,
                                 int64_t rows, int64_t columns) {
  Buffer<int8_t> numbers(static_cast<size_t>(rows * columns), context);
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      const int64_t place = packed_place(packing, r, c, rows, columns);
      const int byte = packed[packing.bits == 4 ? place / 2 : place] & 0xFF;
      const int number = packing.bits == 4 ? (byte >> (place % 2 * 4) & 15) - 8
                         : packing.plain   ? static_cast<int8_t>(byte)
                                           : byte - 128;
      numbers[static_cast<size_t>(r * columns + c)] = static_cast<int8_t>(number);
    }
  }
  return numbers;
}

Buffer<double> unpacked_weight(const RunContext& context, const WeightPacking& packing, const Tensor& packed,
                               const Tensor& scales, int64_t rows, int64_t columns, int64_t group_size) {
  const Buffer<double> scale = doubles_of(context, scales);
  const Buffer<int8_t> integers = unpacked_integers(context, packing, packed.data<int8_t>(), rows, columns);
  Buffer<double> numbers(static_cast<size_t>(rows * columns), context);
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t group = group_size > 0 ? r / group_size : 0;
    for (int64_t c = 0; c < columns; ++c) {
      const auto at = static_cast<size_t>(r * columns + c);
      numbers[at] = integers[at] * scale[static_cast<size_t>(group * columns + c)];
    }
  }
  return numbers;
}

}  // namespace coracle::internal
