// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "devices/cpu/isa/gemm.h"
#include "devices/cpu/isa/quantized_result.h"
#include "devices/cpu/isa/tables.h"

/// C[row, column] = sum over k of A[row, k] * B[k, column], int8 by int8, exact; then the epilogue.
///
/// A tile of rows of A is copied to scratch memory as groups of 4 bytes. Where numbers are bytes these are four
/// numbers: as they are with NEON; plus 128 with VNNI, which multiplies unsigned by signed bytes; else (AVX2) plus what
/// makes the least of the tile 0, if no sum of two products exceeds 16 bits then; what few numbers have too much for
/// that is multiplied apart (quantized_window.h), and if many have too much, all stay as they are. Where numbers have
/// 16 bits a group is two, whose products are added without saturation. Images of few channels are read in place
/// instead (quantized_padded.h).
///
/// B is packed as panels of two vectors of columns (the last one may have one):
/// [where the sums start: a column each, 32 bits][group of 4 bytes along k][column], and for bytes a QuantizedReach for
/// each panel behind all of them. Sums start at 0, for bytes at -128 times the sum of the column, which NEON passes
/// over, as it adds nothing to A. SMMLA takes groups of 8 bytes in place of 4, of A and of B, and no QuantizedReach.
namespace coracle::internal::cpu {

/// How far apart the numbers of a tile may lie, with the least at 0, so that no sum of two products, as they lie in a
/// group, or of those of two groups (an even one and the next) exceeds 16 bits; at most 255.
struct QuantizedReach {
  int32_t pairs = 255;
  int32_t fours = 255;
};

/// Images with so many pixels around them that every tap meets one, and pixels of `channels` numbers.
struct PaddedImage {
  int64_t batch = 1;
  int64_t in_h = 0, in_w = 0;
  int64_t top = 0, left = 0;  ///< pixels in front
  int64_t height = 0, width = 0;
  int64_t channels = 0;
  int64_t out_h = 0, out_w = 0;
  int64_t stride_y = 1, stride_x = 1;
  const int32_t* taps = nullptr;  ///< from a window's first number to that of each tap

  int64_t numbers() const { return batch * height * width * channels; }
};

/// The numbers of a padded image: all lie between least and most, and `added` was added to them. `reach` is the least
/// of all panels.
struct PaddedNumbers {
  int32_t least = 0;
  int32_t most = 0;
  int32_t added = 0;
  int32_t reach = 0;
};

struct QuantizedGemmCall {
  int64_t depth = 0;  ///< adjacent numbers of A for each tap
  int64_t taps = 1;
  int64_t columns = 0;
  const int8_t* a = nullptr;
  int64_t a_stride = 0;  ///< from row to row, if image is null
  /// In numbers of A; each tap reads `join` pixels (join * in_channels == depth), or a part of one.
  const GemmImage* image = nullptr;
  /// Instead of image: a is what pad() made of images, and a tap has a whole number of groups in B, of which the last
  /// meets what lies behind it with zeros.
  const PaddedImage* padded = nullptr;
  PaddedNumbers numbers = {};
  const void* packed = nullptr;
  int64_t block_rows = 0;       ///< block_rows() of the functions, or 0
  void* scratch = nullptr;      ///< scratch_bytes(), 64-byte aligned
  QuantizedResult result = {};  ///< row r goes to pixel r
};

struct QuantizedGemmFunctions {
  int64_t lanes = 0;          ///< columns of a vector
  int64_t element_bytes = 0;  ///< of a packed number: 1 or 2
  int64_t tile_rows = 0;
  int64_t tiles = 1;          ///< at most so many, of rows, are finished at once, ...
  int64_t most_bytes = 8192;  ///< ... if they take no more: the first cache has to hold them and a panel of B
  int64_t block_bytes = 0;    ///< of blocks of tiles of rows, in the second cache, that B passes once; 0: none are made
  bool dot_products = false;  ///< four products of bytes are added by one instruction
  int64_t step = 1;           ///< at most so many groups of 4 bytes are multiplied at once
  int64_t group_bytes = 4;    ///< of a column that lie one behind the other in a panel: 4 or 8
  int64_t lines = 0;          ///< rows that are on their way to where they are multiplied
  /// Computes rows [row_begin, row_end) of panels [panel_begin, panel_end).
  void (*run)(const QuantizedGemmCall& call, int64_t row_begin, int64_t row_end, int64_t panel_begin,
              int64_t panel_end);

  /// Null where images are not read in place. Makes lines [begin, end) of all padded images, in pad_bytes().
  void (*pad)(const PaddedImage& image, const int8_t* images, int8_t* to, int64_t begin, int64_t end) = nullptr;
  /// Null where all numbers are alike. Behind pad(): sets call.numbers to what call.a has, and may add to it.
  void (*look_at_padded)(QuantizedGemmCall& call) = nullptr;
  int64_t most_channels = 0;  ///< of images that are read in place

  /// With what tiles read behind it.
  int64_t pad_bytes(const PaddedImage& image) const {
    return (image.numbers() + tile_rows * image.stride_x * image.channels + 2 * 64) / 64 * 64;
  }
  int64_t panels(int64_t columns) const { return (columns + 2 * lanes - 1) / (2 * lanes); }
  /// Groups of 4 bytes that `depth` numbers make up, of which group_bytes have a whole number.
  int64_t groups(int64_t depth) const {
    const int64_t per_group = group_bytes / element_bytes;
    return (depth + per_group - 1) / per_group * (group_bytes / 4);
  }
  /// Tiles of rows that are finished at once.
  int64_t tiles_of(int64_t depth) const {
    const int64_t fitting = most_bytes / (tile_rows * 4 * (groups(depth) + 1));
    return fitting < 1 ? 1 : fitting < tiles ? fitting : tiles;
  }
  /// Rows of A that a panel of B meets before the next one, where the second cache cannot keep B: whole tiles.
  int64_t block_rows(int64_t rows, int64_t depth, int64_t columns) const {
    constexpr int64_t kOfSecondCache = 512 * 1024;
    const int64_t row_bytes = 4 * (groups(depth) + 1);
    const int64_t small = tiles_of(depth) * tile_rows;
    if (block_bytes == 0 || row_bytes * columns <= kOfSecondCache) return small;
    const int64_t needed = (rows + tile_rows - 1) / tile_rows * tile_rows;
    const int64_t fitting = block_bytes / (row_bytes * tile_rows) * tile_rows;
    return fitting < small || needed < small ? small : needed < fitting ? needed : fitting;
  }
  /// The fewest steps, as long as each other, that have `depth` numbers.
  int64_t steps(int64_t depth) const { return (groups(depth) + step - 1) / step; }
  int64_t step_groups(int64_t depth) const {
    return depth == 0 ? 0 : (groups(depth) + steps(depth) - 1) / steps(depth);
  }
  /// Of so many rows, tiles_of() at least, as they are copied.
  int64_t copied_bytes(int64_t depth, int64_t rows) const {
    const int64_t small = tiles_of(depth) * tile_rows;
    return ((rows > small ? rows : small) * steps(depth) * step_groups(depth) * 4 + 31 + 63) / 64 * 64;
  }
  /// `rows`: block_rows(), or 0. Behind the copies lie sums of a panel that are not whole yet, or `lines`.
  int64_t scratch_bytes(int64_t depth, int64_t rows = 0) const {
    const bool blocks = rows > tiles_of(depth) * tile_rows;
    const int64_t line = (groups(depth) * 4 + 31 + 63) / 64 * 64;
    return copied_bytes(depth, rows) + (blocks       ? (2 * rows + 2 * tile_rows) * 2 * lanes * 4
                                        : lines == 0 ? 0
                                                     : lines * line + 64);
  }
  /// Rows that tiles of adjacent rows multiply.
  int64_t multiplied_rows(int64_t rows) const {
    const int64_t rest = rows % tile_rows;
    const int64_t last = rest <= 1 ? rest : rest <= tile_rows / 2 ? tile_rows / 2 : tile_rows;
    return rows / tile_rows * tile_rows + last;
  }
};

CORACLE_ISA_TABLES(QuantizedGemmFunctions, quantized_gemm)
#if defined(__x86_64__) && !defined(CORACLE_WITHOUT_AVX2)
/// With AVX2, of numbers of 16 bits: B may have -128, as with the tables of all other sets. No images.
namespace pairs {
extern const QuantizedGemmFunctions quantized_gemm;
}
/// With AVX-VNNI, beside AVX2; B is packed as for that.
namespace avx_vnni {
extern const QuantizedGemmFunctions quantized_gemm;
}
/// The same, and what avx512_vnni has, for tests on machines without the instructions; they are no part of the library.
namespace emulated_avx_vnni {
extern const QuantizedGemmFunctions quantized_gemm;
}
namespace emulated_avx512_vnni {
extern const QuantizedGemmFunctions quantized_gemm;
}
#endif
#if defined(__x86_64__) && !defined(CORACLE_WITHOUT_AVX512)
namespace avx512_vnni {
extern const QuantizedGemmFunctions quantized_gemm;
}
#endif
#if defined(__aarch64__) && !defined(CORACLE_WITHOUT_NEON)
/// With SDOT; B is packed as for NEON without it.
namespace neon_dotprod {
extern const QuantizedGemmFunctions quantized_gemm;
}
/// With SMMLA; B is packed in groups of 8 bytes.
namespace neon_i8mm {
extern const QuantizedGemmFunctions quantized_gemm;
}
#endif

}  // namespace coracle::internal::cpu
