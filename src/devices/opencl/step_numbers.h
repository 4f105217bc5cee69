// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ops/common/epilogue.h"
#include "plan/kernel.h"

namespace coracle::opencl {

/// Formulas take three numbers.
inline constexpr int kFormulaNumbers = 3;

/// The numbers of an operator's formula: its attributes in their order, then its number operands; nothing where one of
/// these is not known while planning.
std::optional<std::vector<float>> step_numbers(const OpRow& row, const void* op, const ArgFacts& args);

/// "f_elu(v0, n0, n1, n2)"
std::string formula_call(std::string_view name, std::string_view x, std::string_view number, int first = 0);

/// The formula of an epilogue's step, and its numbers in the order of that.
std::string_view formula_of(EpilogueKind kind);
std::array<float, kFormulaNumbers> numbers_of(const EpilogueStep& step);

}  // namespace coracle::opencl
