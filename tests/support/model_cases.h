// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ops/rnn/rnn.h"
#include "support/check_kernels.h"
#include "support/epilogue_steps.h"

/// Nodes with operands, as tests put them together, and those that models have: coracle-bench-kernels times all of
/// these, and tests/devices/cpu/model_cases_test.cc runs the small ones on every kernel.
namespace coracle::internal::test {

/// Adds the operands of a chain to a case whose result has this shape.
void add_epilogue(KernelCase& c, const Steps& steps, const Shape& result, int64_t channels);

struct Convolution {
  int64_t batch, in, out, h, w, kernel_h, kernel_w, stride, pad, dilation, groups;
  int64_t stride_w = 0;  ///< 0: `stride`
  int64_t pad_w = -1;    ///< -1: `pad`
};
KernelCase convolution_case(const Convolution& p, const Steps& steps);

struct Transposed {
  int64_t batch, in, out, h, w, kernel, stride, pad, dilation, output_padding, groups;
};
KernelCase transposed_case(const Transposed& p, const Steps& steps);

struct Recurrence {
  RnnMode mode;
  int layers;
  bool both_ways;
  int64_t time, batch, width;
  int hidden;
  bool has_bias = true;
};
KernelCase recurrence_case(const Recurrence& p);

/// A node of a model.
struct ModelCase {
  std::string name;                  ///< what the shape is, with the model it comes from
  double flops;                      ///< of one run; a multiplication and the addition to a sum count 2
  std::function<KernelCase()> make;  ///< its operands are the same each time
};

const std::vector<ModelCase>& model_cases();

}  // namespace coracle::internal::test
