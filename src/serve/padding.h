// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "coracle/coracle.hpp"
#include "serve/inference.h"
#include "serve/memory_budget.h"

/// Requests that differ in the size of one axis run together where a model's configuration allows it: padded with zeros
/// to the largest, with results cut back. Padding may change bits, unlike all else that joins requests.
namespace coracle::serve {

/// The size along the axis of the first input that has it.
std::optional<int64_t> size_along(const std::vector<Tensor>& inputs, size_t axis);
bool same_sizes(const std::vector<InferencePtr>& requests, size_t axis);
/// The inputs of requests, `rows` in all, one below the other, each with zeros behind it up to the largest. Throws
/// Failure.
std::vector<Tensor> padded(const std::vector<InferencePtr>& requests, int64_t rows, size_t axis,
                           const MemoryBudget& memory);
/// Results of a request of `own` of `all` along the axis: where one size of a result is free, beside its rows, its part
/// in proportion. Nothing where the proportion is not whole, or several sizes are free. Throws Failure.
std::optional<std::vector<Tensor>> cut(const std::vector<Tensor>& results,
                                       const std::vector<coracle::TensorInfo>& outputs, int64_t own, int64_t all,
                                       const MemoryBudget& memory);

}  // namespace coracle::serve
