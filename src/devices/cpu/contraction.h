// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "devices/cpu/gemm_plan.h"
#include "devices/cpu/isa/product.h"
#include "devices/cpu/isa/transpose.h"

/// Sums of products of two tensors along any of their dimensions: batches of matrix products, wherever the rows,
/// columns and the depth of the matrices lie.
namespace coracle::internal::cpu {

/// One dimension of a contraction: elements from one position to the next of the left operand a, the right operand b
/// and the result c; 0 where a tensor does not have the dimension or repeats along it. Where c does not, products are
/// summed.
struct ContractionLabel {
  int64_t size = 1;
  int64_t a = 0;
  int64_t b = 0;
  int64_t c = 0;
};

class Contraction {
 public:
  /// Null if this contraction is one that is planned here. c has to be written wholly by it.
  static RejectionReason rejection(const std::vector<ContractionLabel>& labels);

  Contraction() = default;
  /// For labels that fit. `rows_may_be_a_batch`: how a row is computed must not depend on how many there are.
  Contraction(std::vector<ContractionLabel> labels, Isa isa, ComputeMode mode, DType dtype, bool rows_may_be_a_batch);

  size_t workspace() const { return workspace_; }
  /// Bytes behind the object.
  size_t bytes() const { return (products_.size() + left_.size() + right_.size()) * sizeof(Product); }

  /// On the threads of `call`, and as long as its run goes on.
  void run(const void* a, const void* b, void* c, void* workspace, const KernelCall& call) const noexcept;

 private:
  enum class Method : uint8_t {
    kGemm,    ///< the right matrix is packed
    kDirect,  ///< both are read where they lie, or copied to where columns are adjacent
    kDots,    ///< one column
  };
  struct Product {
    int64_t a = 0, b = 0, c = 0;  ///< element offsets
    int64_t left = 0, right = 0;  ///< which copy or packed matrix
  };
  GemmCall bound(const float* a, const float* packed, float* c) const;
  /// Rows [row, row + rows) and columns [column, end) of one product without packing.
  template <class T>
  void run_direct(const T* a, const T* b, T* c, int64_t row, int64_t rows, int64_t column, int64_t end) const;
  /// Every product with a right matrix of its own, each on one thread: matrices are copied and packed into room that
  /// stays in cache.
  template <class T>
  void run_each(const T* a, const T* b, T* c, char* workspace, const KernelCall& call) const noexcept;
  template <class T>
  void run_of(const T* a, const T* b, T* c, char* workspace, const KernelCall& call) const noexcept;

  Method method_ = Method::kGemm;
  bool swapped_ = false;  ///< the right operand's dimensions are the rows
  const GemmFunctions* gemm_ = nullptr;
  const ProductFunctions* direct_ = nullptr;
  const TransposeFunctions* moves_ = nullptr;
  size_t element_ = 4;
  GemmCall call_;
  GemmSource source_;
  int64_t rows_ = 1, depth_ = 1, columns_ = 1;
  int64_t row_tile_ = 1;
  int64_t a_row_ = 0, a_depth_ = 0, b_depth_ = 0, c_row_ = 0;
  bool copies_left_ = false;
  bool copies_right_ = false;
  Permutation left_copy_;   ///< of one left matrix, [rows, depth]
  Permutation right_copy_;  ///< of one right matrix, [depth, columns], or [columns, depth] if it is packed
  int64_t packed_floats_ = 0;
  std::vector<int64_t> left_;   ///< offsets of the left matrices that are copied
  std::vector<int64_t> right_;  ///< offsets of the right matrices that are copied or packed
  std::vector<Product> products_;
  bool moves_result_ = false;  ///< c is made in the workspace and moved
  Permutation result_;
  size_t left_at_ = 0, right_at_ = 0, packed_at_ = 0, result_at_ = 0;
  size_t workspace_ = 0;
};

}  // namespace coracle::internal::cpu
