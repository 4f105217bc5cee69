// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/size.h"
#include "devices/cpu/epilogue_program.h"
#include "devices/cpu/isa/integer_gemm.h"
#include "ops/quantize/integer_product.h"
#include "plan/kernel.h"

namespace coracle::cpu {

/// The table of an instruction set; of AVX-512 with products of bytes, where this machine has them.
const IntegerGemmFunctions& machine_integer_gemm(Isa isa);

/// B[k, column], with k = tap * depth + i, is data[tap * tap_stride + i * inner_stride + column * column_stride];
/// packed as isa/integer_gemm.h has it.
struct IntegerGemmForm {
  static constexpr std::string_view kLayout = "integer.b.panels.v2";

  int64_t lanes = 0;          ///< of IntegerGemmFunctions
  int64_t element_bytes = 0;  ///< the same
  int64_t taps = 1;
  int64_t depth = 0;
  int64_t columns = 0;
  int64_t tap_stride = 0;
  int64_t inner_stride = 0;
  int64_t column_stride = 0;

  size_t bytes() const;
  void pack(std::span<const Tensor* const> constants, std::byte* to, ThreadPool& pool) const;
};

/// What a product of integers needs besides its tensors.
struct IntegerGemmPlan {
  const IntegerGemmFunctions* functions = nullptr;
  IntegerGemmCall call;  ///< without tensors, image, scratch and epilogue
  bool has_image = false;
  GemmImage image;  ///< tap lists point into the vectors below
  std::vector<int32_t> tap_y;
  std::vector<int32_t> tap_x;
  EpilogueProgram epilogue;
  int64_t rows = 0;
  int64_t panels = 0;
  int64_t slots = 1;  ///< parts, each with scratch memory of its own
  bool by_panels = false;
  int64_t scratch_bytes = 0;  ///< of a slot

  /// Sets what follows from the shape and the number of threads.
  void split(int threads);
  void run(const KernelCall& kernel_call, const IntegerResult& result) const noexcept;
};

/// Why kernels do not take a product of `terms` numbers: the epilogue's tensors stand at port 2, the product has
/// `channels` channels.
Misfit integer_misfit(const IntegerProduct& op, const ArgFacts& args, const Shape& product, int64_t channels,
                      int64_t terms);

/// Where the sums of a call go. `ops` has room for the epilogue.
IntegerResult integer_result(const IntegerProduct& op, const EpilogueProgram& epilogue, const KernelCall& call,
                             EpilogueOp* ops, int64_t channels) noexcept;

}  // namespace coracle::cpu
