// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/run_context.h"
#include "base/tensor.h"
#include "base/thread_pool.h"
#include "devices/cpu/isa/tables.h"

namespace coracle::internal::cpu {

/// A constant's elements in float32, for packing them: where they stand, or converted from 16 bits by all threads of
/// `pool` into scratch that is charged to `context`. Does not outlive the constant.
class FloatConstant {
 public:
  FloatConstant(const Tensor& constant, Isa isa, ThreadPool& pool, const RunContext& context);
  const float* data() const { return floats_.data<float>(); }

 private:
  Tensor floats_;  ///< the constant itself, or the scratch
};

}  // namespace coracle::internal::cpu
