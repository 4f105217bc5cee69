// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "devices/cpu/isa/epilogue_op.h"
#include "ops/common/epilogue.h"
#include "plan/kernel.h"

namespace coracle::internal::cpu {

static_assert(kMaxEpilogueOps == Epilogue::kMaxSteps);

/// An epilogue as micro-kernels take it. The tensors are filled in for each call.
class EpilogueProgram {
 public:
  EpilogueProgram() = default;
  /// `tensor_stride`: floats from pixel to pixel of the result.
  EpilogueProgram(const Epilogue& epilogue, int64_t tensor_stride);

  int count() const { return count_; }
  /// The operand with an element for each one of the result, on which that may be written, or -1; `first` as below.
  int whole_tensor(int first) const noexcept;
  /// Writes the operations with the tensors of a call, the first of which is operand `first`.
  void bind(const KernelCall& call, int first, EpilogueOp* ops) const noexcept;

 private:
  EpilogueOp ops_[kMaxEpilogueOps];
  int tensor_[kMaxEpilogueOps] = {};  ///< position among the tensors, -1 for none
  int count_ = 0;
};

/// Why micro-kernels cannot do an epilogue: its tensors stand at `port`, the product has the shape `product` and
/// `channels` channels.
RejectionReason epilogue_rejection(const Epilogue& epilogue, const ArgFacts& args, int port, const Shape& product,
                                   int64_t channels);

}  // namespace coracle::internal::cpu
