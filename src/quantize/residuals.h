// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "quantize/layers.h"

/// Residual connections: sums of a layer's result and a value that is another layer's operand. Where that operand is
/// rounded, the sum can read the rounded value, so that nothing has it in float32.
namespace coracle::internal::quantize {

struct Residual {
  size_t index = 0;  ///< of the elementwise_add
  std::string slot;  ///< of the operand that layers read as well
  WrittenValue x;    ///< that operand
  size_t layer = 0;  ///< number of the layer whose result, behind its bias or normalisation, is the other one
};

/// In the order of the program.
std::vector<Residual> find_residuals(const Program& program, const ParameterMap& parameters,
                                     const std::vector<Layer>& layers);

}  // namespace coracle::internal::quantize
