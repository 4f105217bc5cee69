// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/element_steps.h"
#include "plan/kernel.h"

namespace coracle::internal::gpu {

/// A function of kernels/formulas.cl with its numbers: those of a UnaryStep or an EpilogueStep.
struct Formula {
  static constexpr int kNumbers = 3;

  std::string_view name;  ///< static
  std::array<float, kNumbers> numbers{};

  /// "f_elu(v0, n3, n4, n5)", with numbers that begin at `first`
  std::string call(std::string_view x, int first) const;
};

/// The formula of an operator of one operand, element by element; nothing where it depends on what is not known while
/// planning.
std::optional<Formula> formula_of(const OpSchema& schema, const void* op, const ArgFacts& args);

/// The formula of an epilogue's step, which takes no tensor.
Formula formula_of(const EpilogueStep& step);

}  // namespace coracle::internal::gpu
