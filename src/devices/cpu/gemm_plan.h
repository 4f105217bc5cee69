// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "devices/cpu/convolution_image.h"
#include "devices/cpu/epilogue_program.h"
#include "devices/cpu/isa/tile_gemm.h"
#include "devices/cpu/kernel_isa.h"

namespace coracle::internal::cpu {

/// On the tiles of the processor or, where it has none, in ordinary vectors.
const TileGemmFunctions& machine_tile_gemm();

/// Products of float32 by multiply-adds of an instruction set, others on matrix tiles or by products of pairs.
const GemmFunctions& gemm_table(Isa isa, ComputeMode mode);
inline const GemmFunctions& gemm_table(const KernelDef& kernel) {
  return gemm_table(kernel_isa(kernel), kernel_mode(kernel));
}

/// True where products of pairs in vectors stand for tiles: they are up to twice as fast as multiply-adds, so what
/// rounding and filling up cost counts.
bool is_by_dots(ComputeMode mode);

/// What a product or convolution needs besides its tensors, ready for every call with the same shapes.
struct GemmPlan : ConvolutionImage {
  GemmCall call;  ///< without tensors, image and epilogue
  std::vector<float> zeros;
  int64_t rows = 0;          ///< of the product
  int64_t panels = 0;        ///< of all groups
  size_t packed_offset = 0;  ///< floats into the packed weights
};

/// Rows that repay packing the right matrix for tiles in each run.
constexpr int64_t kLeastRowsToPackTiles = 64;

/// Null if a product with these rows of one item of the batch is worth `products`: whole tiles would do at most twice
/// the work. How an item is computed must not depend on how many there are.
RejectionReason mode_rejection(ComputeMode mode, int64_t rows, const GemmShape& shape);

/// The operand (of an operator with its epilogue's tensors from 2 on) on which the product may be written, or -1.
int residual_in_place(const GemmFunctions& gemm, const GemmPlan& plan, const EpilogueProgram& epilogue);

// Saved models have these numbers in the keys of their packed weights.
static_assert(static_cast<int>(Isa::kNeon) == 1 && static_cast<int>(Isa::kSse2) == 2 &&
              static_cast<int>(Isa::kAvx2) == 3 && static_cast<int>(Isa::kAvx512) == 4 &&
              static_cast<int>(ComputeMode::kFloat32) == 0 && static_cast<int>(ComputeMode::kBf16x6) == 1 &&
              static_cast<int>(ComputeMode::kBf16x3) == 2 && static_cast<int>(ComputeMode::kBf16) == 3);

/// Which table packs and multiplies, as a part of forms of packed weights.
struct GemmChoice {
  int64_t isa = 0;
  int64_t mode = 0;

  explicit GemmChoice(Isa i = Isa::kAny, ComputeMode p = ComputeMode::kFloat32)
      : isa(static_cast<int64_t>(i)), mode(static_cast<int64_t>(p)) {}
  explicit GemmChoice(const KernelDef& kernel) : GemmChoice(kernel_isa(kernel), kernel_mode(kernel)) {}
  /// Multiply-adds of the same instruction set.
  GemmChoice without_tiles() const { return GemmChoice(static_cast<Isa>(isa)); }
  const GemmFunctions& table() const { return gemm_table(static_cast<Isa>(isa), static_cast<ComputeMode>(mode)); }
};

/// Packed matrices of `groups` groups, one behind the other. B[t, k, column] of group g, with k = join * inner + i, is
/// data[g * group_stride + t * tap_stride + join * join_stride + i * inner_stride + column * column_stride] (see
/// GemmSource) of a FloatConstant.
struct GemmForm {
  static constexpr std::string_view kLayout = "gemm.b.panels.v1";

  GemmChoice choice;
  int64_t taps = 1;
  int64_t depth = 0;
  int64_t columns = 0;
  int64_t groups = 1;
  int64_t inner = 0;
  int64_t group_stride = 0;
  int64_t tap_stride = 0;
  int64_t join_stride = 0;
  int64_t inner_stride = 0;
  int64_t column_stride = 0;

  GemmShape shape() const { return {taps, depth, columns}; }
  size_t bytes() const { return static_cast<size_t>(choice.table().packed_floats(shape()) * groups) * sizeof(float); }
  void pack(std::span<const Tensor* const> constants, std::byte* to, ThreadPool& pool, const RunContext& context) const;
  /// All threads take part: most of the time goes to memory that is touched for the first time.
  void pack_matrices(const float* from, float* to, ThreadPool& pool) const;
};

/// The call of a plan with its tensors and epilogue. `packed` may be null.
GemmCall bound(const GemmPlan& plan, const float* a, const float* packed, float* c, const EpilogueOp* ops,
               int op_count);

/// How a plan is split over threads: the larger operand is, as each thread reads all of the other one. Where that
/// leaves threads without work, both are: a grid of parts.
struct GemmSplit {
  bool by_rows = false;     ///< else by panels
  int64_t grain = 1;        ///< so many of them are worth a thread
  int64_t row_parts = 1;    ///< of the grid; 1: there is none
  int64_t row_unit = 1;     ///< parts have multiples of so many rows, but for the last
  int64_t panel_parts = 1;  ///< of the grid
};
GemmSplit split_of(const GemmFunctions& gemm, const GemmPlan& plan, int threads);

/// Runs one plan on all threads.
void run_gemm(const GemmFunctions& gemm, const GemmPlan& plan, const float* a, const float* packed, float* c,
              const EpilogueOp* ops, int op_count, ThreadPool& pool) noexcept;

/// Runs rows [begin, end) of one plan on this thread.
void run_gemm_rows(const GemmFunctions& gemm, const GemmPlan& plan, const float* a, const float* packed, float* c,
                   const EpilogueOp* ops, int op_count, int64_t begin, int64_t end) noexcept;

}  // namespace coracle::internal::cpu
