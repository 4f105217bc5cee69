// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/size.h"
#include "devices/cpu/convolution_image.h"
#include "devices/cpu/epilogue_program.h"
#include "devices/cpu/isa/quantized_gemm.h"
#include "ops/quantize/integer_product.h"
#include "plan/kernel.h"

namespace coracle::internal::cpu {

/// The table of an instruction set; of AVX-512 on matrix tiles and of AVX-512 and AVX2 with sums of products of bytes,
/// where this machine has them.
const QuantizedGemmFunctions& machine_quantized_gemm(Isa isa);
/// The same, where B may have -128; it takes no images.
const QuantizedGemmFunctions& any_quantized_gemm(Isa isa);

/// Matrices B, one after the other, packed as isa/quantized_gemm.h has them. Each consists of `blocks` blocks along its
/// diagonal, and zeros. Of a matrix and block B[k, column], with k = tap * depth + i and column = outer * inner + j, is
/// data[matrix * matrix_stride + block * block_stride + tap * tap_stride + i * inner_stride + outer * outer_stride +
/// j * column_stride].
struct QuantizedGemmForm {
  static constexpr std::string_view kLayout = "integer.b.panels.v5";

  int64_t lanes = 0;          ///< of QuantizedGemmFunctions
  int64_t element_bytes = 0;  ///< the same
  int64_t matrices = 1;
  int64_t blocks = 1;
  int64_t taps = 1;
  int64_t depth = 0;          ///< of a tap of a block
  int64_t columns = 0;        ///< of a block
  int64_t joined_taps = 0;    ///< 0: none; else so many, which divide the taps, ...
  int64_t joined_depth = 0;   ///< ... have so many numbers together, the last ones zero; of one block
  int64_t inner_columns = 0;  ///< those that lie column_stride apart; 0: all
  int64_t matrix_stride = 0;
  int64_t block_stride = 0;
  int64_t tap_stride = 0;
  int64_t inner_stride = 0;
  int64_t outer_stride = 0;
  int64_t column_stride = 0;

  /// Of a column of a matrix, zeros included.
  int64_t numbers() const { return joined_taps == 0 ? taps * blocks * depth : taps / joined_taps * joined_depth; }
  size_t matrix_bytes() const;
  size_t bytes() const;
  void pack(std::span<const Tensor* const> constants, std::byte* to, ThreadPool& pool) const;
};

#if defined(__aarch64__)
/// The same in groups of 8 bytes.
struct QuantizedPairsForm : QuantizedGemmForm {
  static constexpr std::string_view kLayout = "integer.b.blocks_2x8.v1";

  size_t matrix_bytes() const;
  size_t bytes() const;
  void pack(std::span<const Tensor* const> constants, std::byte* to, ThreadPool& pool) const;
};
#endif

/// Calls `use` with the form that a table takes matrices in: one of the structs above.
template <class Use>
decltype(auto) with_form_for(const QuantizedGemmFunctions& functions, QuantizedGemmForm form, const Use& use) {
  form.lanes = functions.lanes;
  form.element_bytes = functions.element_bytes;
#if defined(__aarch64__)
  if (functions.group_bytes == 8) return use(QuantizedPairsForm{form});
#endif
  return use(form);
}

/// One of several products of a plan: which of the packed matrices it has, and where its numbers begin.
struct QuantizedGemmPart {
  int64_t a = 0;
  int64_t matrix = 0;
  int64_t result = 0;   ///< of the result and of epilogue tensors with its shape
  int64_t channel = 0;  ///< of epilogue tensors with a number for each channel
};

/// What a product of integers needs besides its tensors.
struct QuantizedGemmPlan : ConvolutionImage {
  const QuantizedGemmFunctions* functions = nullptr;
  QuantizedGemmCall call;         ///< without tensors, image, scratch and epilogue
  PaddedImage padded;             ///< instead of image, if there are taps
  std::vector<int32_t> tap_from;  ///< that it points into
  EpilogueProgram epilogue;
  int64_t rows = 0;           ///< of each part
  int64_t result_stride = 0;  ///< from row to row, in elements
  std::vector<QuantizedGemmPart> parts = {{}};
  size_t matrix_bytes = 0;  ///< from one packed matrix to the next
  int64_t panels = 0;
  int64_t slots = 1;  ///< parts, each with scratch memory of its own
  bool by_panels = false;
  int64_t panel_parts = 1;    ///< of each row of tiles, where there are too few tiles for equal shares
  int64_t scratch_bytes = 0;  ///< of a slot

  /// Sets what follows from the shape and the number of threads.
  void split(int threads);
  size_t bytes() const;
  /// Bytes of scratch memory behind that of the slots.
  int64_t padded_bytes() const { return tap_from.empty() ? 0 : functions->pad_bytes(padded); }
  /// `packed`: the matrices; `scratch`: scratch_bytes for each slot and padded_bytes().
  void run(const int8_t* a, const void* packed, void* scratch, const QuantizedResult& result,
           ThreadPool& pool) const noexcept;

 private:
  void run_part(QuantizedGemmCall call, const QuantizedGemmPart& part, int64_t tile_begin, int64_t tile_end,
                int64_t panel_begin, int64_t panel_end) const noexcept;
};

/// Integers of both operands; what the results and an epilogue's tensors are follows from the operator.
constexpr TypeRule kQuantizedRule = {.operands = DType::kFloat32 | DType::kInt8,
                                     .results = DType::kFloat32 | DType::kInt8,
                                     .in = {{{0, DType::kInt8}, {1, DType::kInt8}}}};

/// The rest of a plan whose parts, rows, depth, columns and taps are set, and of the form of its constant operand 1.
/// The scratch memory is the beginning of the workspace.
Prepared prepared_product(QuantizedGemmPlan& plan, QuantizedGemmForm form, const ArgFacts& args,
                          PrepareContext& context);

/// Why kernels do not take a product of `terms` numbers with constant weights: the epilogue's tensors stand at port 2,
/// the product has `channels` channels.
RejectionReason quantized_rejection(const IntegerProduct& op, const ArgFacts& args, const Shape& product,
                                    int64_t channels, int64_t terms);
/// The same with operand 1 computed.
RejectionReason computed_quantized_rejection(const IntegerProduct& op, const ArgFacts& args, const Shape& product,
                                             int64_t channels, int64_t terms);

/// Where the sums of a call go: pixels `stride` elements apart. `ops` has room for the epilogue.
QuantizedResult quantized_result(const IntegerProduct& op, const EpilogueProgram& epilogue, const KernelCall& call,
                                 EpilogueOp* ops, int64_t stride) noexcept;

}  // namespace coracle::internal::cpu
