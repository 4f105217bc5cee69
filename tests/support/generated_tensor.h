// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/tensor.h"

namespace coracle::internal::test {

/// Deterministic inputs, the same numbers as ../shared/tools/detgen.py. `shape` and `dtype` are the tensor's.
Tensor generate_uniform(std::string_view seed, const Shape& shape, DType dtype, double lo, double hi);
Tensor generate_integers(std::string_view seed, const Shape& shape, DType dtype, int64_t lo, int64_t hi);
Tensor generate_values(const std::vector<double>& values, const Shape& shape, DType dtype);
/// 0, 1, ... along the last axis.
Tensor generate_range(const Shape& shape, DType dtype);
/// Row i: lengths[i] ones, then zeros.
Tensor generate_mask(const std::vector<double>& lengths, const Shape& shape, DType dtype);

}  // namespace coracle::internal::test
