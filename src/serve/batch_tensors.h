// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "serve/inference.h"
#include "serve/memory_budget.h"

/// Tensors of requests that run together.
namespace coracle::serve {

/// Memory for elements, aligned as sessions like it, that counts in the budget. Throws Failure.
std::shared_ptr<std::byte> make_bytes(size_t bytes, const MemoryBudget& memory, std::string_view what);

/// The inputs of requests, `rows` in all, one below the other. Throws Failure.
std::vector<Tensor> stacked(const std::vector<InferencePtr>& requests, int64_t rows, const MemoryBudget& memory);
/// Rows `begin` to `begin` + `rows` of outputs that have `all` rows.
std::vector<Tensor> rows_between(const std::vector<Tensor>& outputs, int64_t begin, int64_t rows, int64_t all);
bool same_bits(const std::vector<Tensor>& a, const std::vector<Tensor>& b);

}  // namespace coracle::serve
