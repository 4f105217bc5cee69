// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "graph/op.h"

namespace coracle::internal {

/// What stands outside of the tensor.
enum class PadMode : uint8_t { kConstant, kReflect, kReplicate, kCircular };

/// "constant", "reflect", "replicate" or "edge", "circular"; Error otherwise.
PadMode pad_mode_of(const std::string& name);

/// Elements added (or, where negative, taken off) before and behind one dimension.
struct PadAmount {
  int64_t before = 0;
  int64_t after = 0;
};

/// x with the amounts of each dimension added. Error where the mode does not allow the amount.
Shape padded_shape(const Shape& x, std::span<const PadAmount> amounts, PadMode mode);

/// out = x padded; `value` is used by kConstant.
void pad_tensor(const Tensor& x, std::span<const PadAmount> amounts, PadMode mode, double value, Tensor& out);

}  // namespace coracle::internal
