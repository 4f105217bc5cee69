// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "devices/cpu/isa/epilogue_op.h"
#include "devices/cpu/isa/tables.h"

/// C[row, column] = sum over taps t and k < depth of A_t[row, k] * B[t, k, column], then the epilogue.
///
/// A is given indirectly: for each row and tap a pointer to `depth` adjacent floats. A plain matrix has one tap; a
/// convolution over a channels-last image has one tap per kernel position (or per kernel row, where positions are
/// joined), and padding points to zeros. B is packed once into panels of columns, [panel][tap][k][column of panel].
/// Each element of C is summed in one order of (t, k) that depends on the shape of B alone, so rows may be split among
/// calls at will without changing a bit.
namespace coracle::internal::cpu {

/// The shape of B for one group.
struct GemmShape {
  int64_t taps = 1;
  int64_t depth = 0;    ///< floats per tap
  int64_t columns = 0;  ///< columns of one group
};

/// Where pack() finds B[t, k, column], with k = join * inner + i and join < depth / inner:
/// scale * data[tap_offsets[t] + join * join_stride + i * inner_stride + column * column_stride]
struct GemmSource {
  const float* data = nullptr;
  const int64_t* tap_offsets = nullptr;  ///< null: all 0
  int64_t inner = 0;                     ///< depth, unless taps are joined
  int64_t join_stride = 0;
  int64_t inner_stride = 0;
  int64_t column_stride = 0;
  float scale = 1;
};

/// Rows of A are the pixels of an image, or of a volume of in_d images: row
/// (((n * out_d + oz) * out_h + oy) * out_w + ox) and tap t read `join` adjacent pixels from (oz * stride_z + tap_z[t],
/// oy * stride_y + tap_y[t], ox * stride_x + tap_x[t]) on, zeros outside. The row goes to pixel
/// out_first + n * out_batch + oz * out_plane + oy * out_row + ox * out_column of C.
struct GemmImage {
  int64_t in_d = 1, in_h = 0, in_w = 0;
  int64_t in_channels = 0;  ///< floats from pixel to pixel
  int64_t out_d = 1, out_h = 0, out_w = 0;
  int64_t stride_z = 1, stride_y = 1, stride_x = 1;
  const int32_t* tap_z = nullptr;  ///< null: all 0
  const int32_t* tap_y = nullptr;
  const int32_t* tap_x = nullptr;
  int64_t join =
      1;  ///< more than 1 needs one group, depth == join * in_channels <= kMaxJoinedDepth, taps <= kMaxJoinedTaps
  int64_t out_first = 0, out_batch = 0, out_plane = 0, out_row = 0, out_column = 1;
};

constexpr int64_t kMaxJoinedDepth = 48;
constexpr int64_t kMaxJoinedTaps = 16;

struct GemmCall {
  GemmShape shape;
  int64_t groups = 1;
  int64_t a_group_stride = 0;  ///< floats from group to group of A
  int64_t c_group_stride = 0;  ///< the same of C; epilogues count columns through all groups
  const float* a = nullptr;
  int64_t a_stride = 0;  ///< floats from row to row, if image is null (then row r goes to pixel r of C)
  const GemmImage* image = nullptr;
  const float* zeros = nullptr;   ///< if image is set: zeros for a pixel of all groups, from its first float on
  const float* packed = nullptr;  ///< groups one after the other, packed_floats() each
  float* c = nullptr;
  int64_t c_stride = 0;  ///< floats from pixel to pixel
  const EpilogueOp* epilogue = nullptr;
  int epilogue_size = 0;  ///< at most kMaxEpilogueOps
};

/// Numbers of 16, 8 and 4 bits that stand for floats. Keys of packed weights hold these.
enum class NarrowType : int64_t { kFloat16 = 0, kBfloat16 = 1, kInt8 = 2, kInt4 = 3 };

[[gnu::always_inline]] constexpr int bits_of(NarrowType type) {
  return type == NarrowType::kInt4 ? 4 : (type == NarrowType::kInt8 ? 8 : 16);
}

/// Full panels of B in narrower numbers, in the order of float32 panels. Four bits (plus 8): a byte has column i and
/// column i + panel_columns / 2 of a k. Integers may have a scale for each column and `group` of k.
struct NarrowMatrix {
  NarrowType type = NarrowType::kFloat16;
  const void* panels = nullptr;
  const float* scales = nullptr;  ///< scales[k / group * scale_stride + column]; null: 1. Never null for kInt4
  int64_t group = 0;
  int64_t scale_stride = 0;
};

/// Products with such matrices: one group, one tap, A a plain matrix. Same bits as with the widened matrix.
struct NarrowFunctions {
  int64_t panel_columns = 0;
  /// Computes rows [row_begin, row_end) of full panels [panel_begin, panel_end), widening in registers.
  /// GemmCall::packed is not used. Null on SSE2.
  void (*run)(const GemmCall& call, const NarrowMatrix& b, int64_t row_begin, int64_t row_end, int64_t panel_begin,
              int64_t panel_end) = nullptr;
  /// Writes full panels as pack() would have; `depth`: of all taps.
  void (*widen)(const NarrowMatrix& b, int64_t depth, int64_t panel_begin, int64_t panel_end, float* to) = nullptr;
};

struct GemmFunctions {
  /// Panels of one group with this many columns.
  int64_t (*panels)(int64_t columns);
  /// Rows that are computed together, for the first of these columns.
  int64_t (*tile_rows)(int64_t columns);
  /// Size of one packed group.
  int64_t (*packed_floats)(const GemmShape& shape);
  /// Packs the panels [panel_begin, panel_end) of one group into `packed` (the group's beginning). Writes every float
  /// of them.
  void (*pack)(const GemmShape& shape, const GemmSource& source, float* packed, int64_t panel_begin, int64_t panel_end);
  /// True if unfinished sums wait in C: then the epilogue must not read C.
  bool (*sums_wait_in_c)(const GemmCall& call);
  /// Computes rows [row_begin, row_end) of panels [panel_begin, panel_end); panels are counted through all groups.
  void (*run)(const GemmCall& call, int64_t row_begin, int64_t row_end, int64_t panel_begin, int64_t panel_end);
  const NarrowFunctions* narrow = nullptr;  ///< of multiply-adds only
};

CORACLE_ISA_TABLES(GemmFunctions, gemm)

}  // namespace coracle::internal::cpu
