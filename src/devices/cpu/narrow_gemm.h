// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "base/dtypes.h"
#include "devices/cpu/gemm_plan.h"

/// Products of float32 with weights that stay as narrow as they are: float16, bfloat16, int8, and groups of four bits.
/// Few rows wait for the weights, which are widened in registers; for more rows each thread widens some panels at a
/// time into its workspace, where the product of float32 finds them.
namespace coracle::internal::cpu {

/// Types of constant operands that stay as they are.
inline constexpr DTypes kNarrowTypes = kHalfTypes | DType::kInt8;

/// Rows up to which widening in registers, again for each four of them, takes less than widening first.
inline constexpr int64_t kFewNarrowRows = 16;

NarrowType narrow_type_of(DType dtype);

/// How narrow panels and what is left of the matrix lie in packed weights: full panels, then the last panel's columns
/// that do not fill one as packed float32, then scales.
struct NarrowLayout {
  NarrowType type = NarrowType::kFloat16;
  int64_t full = 0;          ///< panels
  int64_t panel_floats = 0;  ///< of a full one
  int64_t tail_floats = 0;
  size_t panel_bytes = 0;
  size_t tail_at = 0;
  size_t scales_at = 0;
  int64_t scales = 0;

  NarrowLayout() = default;
  NarrowLayout(const GemmFunctions& gemm, const GemmShape& shape, NarrowType of, int64_t scale_count = 0);
  size_t bytes() const { return scales_at + static_cast<size_t>(scales) * sizeof(float); }
};

/// The matrix of one group as GemmForm has it, in its own type.
struct NarrowForm {
  static constexpr std::string_view kLayout = "gemm.b.narrow.v1";

  GemmForm matrix;  ///< groups is 1
  int64_t type = 0;

  NarrowForm(const GemmForm& of, DType dtype) : matrix(of), type(static_cast<int64_t>(narrow_type_of(dtype))) {}
  NarrowLayout layout() const { return {matrix.choice.table(), matrix.shape(), static_cast<NarrowType>(type)}; }
  size_t bytes() const { return layout().bytes(); }
  void pack(std::span<const Tensor* const> constants, std::byte* to, ThreadPool& pool, const RunContext& context) const;
};

/// What a product with such weights needs besides its tensors.
struct NarrowPlan {
  const GemmFunctions* gemm = nullptr;
  GemmPlan plan;
  NarrowLayout layout;
  int64_t group = 0;  ///< k that share scales
  int64_t block = 1;  ///< panels that a thread widens at a time

  NarrowPlan() = default;
  NarrowPlan(const GemmFunctions& g, GemmPlan p, const NarrowLayout& l);
  /// Bytes for so many threads.
  size_t workspace(int threads) const;
  void run(const float* a, const void* packed, float* c, const EpilogueOp* ops, int op_count, void* workspace,
           ThreadPool& pool) const noexcept;

 private:
  bool widens_in_registers() const;
  void run_blocks(const GemmCall& call, const NarrowMatrix& matrix, const float* tail, float* room, int64_t row_begin,
                  int64_t row_end, int64_t panel_begin, int64_t panel_end) const;
};

/// Why weights do not stay narrow in a product: it has several groups.
inline RejectionReason narrow_rejection(int64_t groups) {
  return groups > 1 ? "several groups of narrow weights" : nullptr;
}

}  // namespace coracle::internal::cpu
