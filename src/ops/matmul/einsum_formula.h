// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/tensor.h"

namespace coracle::internal {

/// An Einstein summation whose operands' ranks are known: every label is a small number. The dimensions that "..."
/// stands for have labels of their own, aligned at their ends.
struct EinsumPlan {
  std::vector<std::vector<int>> operands;  ///< labels of each operand's dimensions
  std::vector<int> result;                 ///< labels of the result's dimensions
  int labels = 0;
};

/// Reads "ij,jk->ik" and the like; without "->" the result has the labels that occur once, in alphabetical order, after
/// those of "...". Throws Error where the equation does not fit.
EinsumPlan plan_einsum(std::string_view equation, const std::vector<int>& ranks);

/// Whether the sum takes operand 0 and its product with operand 1 as they lie: the dimensions of operand 0 are those of
/// the result, in its order, and behind them those summed with operand 1; the result goes on with dimensions of
/// operand 1, in its order. False for more than two operands.
bool first_operand_leads(const EinsumPlan& plan);

/// Size of each label, kUnknown where no operand tells; 1 broadcasts. Throws Error where operands differ.
std::vector<int64_t> einsum_sizes(const EinsumPlan& plan, const std::vector<Shape>& shapes);

/// Sums the products in double (integers too); all tensors are of out's type.
void reference_einsum(const RunContext& context, const EinsumPlan& plan, const std::vector<Tensor>& operands,
                      Tensor& out);

}  // namespace coracle::internal
