// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "devices/cuda/api.h"
#include "devices/cuda/function.h"
#include "devices/cuda/library_choices.h"
#include "devices/gpu/product.h"

namespace coracle::internal::cuda {

/// A product by cuBLASLt. Its algorithm is chosen when it is made, as for kRowsOfChoice rows and one matrix whatever
/// there are, without workspace and without sums in parts: an element's sum is then the same in each run and beside any
/// others.
class ProductFunction final : public Command {
 public:
  static constexpr int64_t kRowsOfChoice = 128;
  /// Of the tensors' addresses that algorithms may rely on, in bytes.
  static constexpr int64_t kAlignment = 16;

  /// In the device's context; `handle` is the device's. Null where cuBLASLt does not take it.
  static std::shared_ptr<const ProductFunction> make(std::shared_ptr<Opened> device, cublasLtHandle_t handle,
                                                     const gpu::Product& product);

  /// Its groups are its own.
  size_t largest_group() const override { return 0; }
  const std::string& name() const override { return name_; }
  /// Any grid does: cuBLASLt has its own.
  CUresult enqueue(CUstream stream, const gpu::Grid& grid,
                   std::span<const gpu::Argument> arguments) const noexcept override;
  std::string launch_text(const gpu::Grid& /*grid*/) const override { return name_; }

 private:
  /// What cuBLASLt describes things by, given back to it.
  template <class Handle>
  struct Description {
    Handle handle = nullptr;
    cublasStatus_t (*destroy)(Handle) = nullptr;

    Description() = default;
    ~Description() {
      if (handle != nullptr) destroy(handle);
    }
    Description(const Description&) = delete;
    Description& operator=(const Description&) = delete;
  };
  using Layout = Description<cublasLtMatrixLayout_t>;
  /// A matrix as cuBLASLt sees it: columns of `rows` elements, each `leading` elements after the one before.
  struct Stored {
    int64_t rows = 0;
    int64_t columns = 0;
    int64_t leading = 0;
    bool transposed = false;

    static Stored of(int64_t rows, int64_t row_step, int64_t columns, int64_t column_step);
  };
  /// Of y, a and b; y has no gaps.
  struct Layouts {
    Layout y, a, b;
  };
  struct Axis {
    int64_t size = 1;
    int64_t y = 0, a = 0, b = 0;  ///< steps
  };

  /// The bits of what the product and what is added are multiplied with, int32 for sums of integers, else float.
  struct Factors {
    uint32_t alpha = 0;
    uint32_t beta = 0;
  };

  ProductFunction(std::shared_ptr<Opened> device, cublasLtHandle_t handle, const gpu::Product& product);
  void split_batch();
  bool describe();
  bool add_layout(Layout& layout, int type, const Stored& stored, int64_t count, int64_t step) const;
  bool add_layouts(Layouts& layouts, int64_t rows, const Axis& batch) const;
  /// Of all that is read or written together, in bytes.
  struct Alignments {
    uint32_t a = 0, b = 0, y = 0;
  };
  Alignments alignments() const;
  bool choose();
  Factors factors(float beta) const;
  /// All that the choice is made of but the device, as text.
  std::string choice_key(const Alignments& aligned, int64_t rows) const;
  LibraryChoices::Made make_choice(const Alignments& aligned, const Layouts& layouts, int64_t rows) const;
  std::optional<size_t> fastest(std::span<const cublasLtMatmulHeuristicResult_t> found, const Layouts& layouts,
                                int64_t rows) const;

  const std::shared_ptr<Opened> device_;
  const ProductsApi& api_;
  const cublasLtHandle_t handle_;
  const gpu::Product product_;
  const int64_t element_;    ///< bytes of a and b
  const int64_t y_element_;  ///< bytes of y
  const std::string name_;
  Stored a_, b_;
  Axis batch_;                       ///< what one call computes
  std::vector<Axis> begins_ = {{}};  ///< of the calls, in the steps' members
  Description<cublasLtMatmulDesc_t> description_;
  mutable std::mutex bias_mutex_;  ///< held until a call has read the bias's address, which the description has
  Layouts layouts_;
  cublasLtMatmulAlgo_t algorithm_{};
};

}  // namespace coracle::internal::cuda
