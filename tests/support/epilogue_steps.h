// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ops/common/epilogue.h"

/// Steps that tests put together to epilogues.
namespace coracle::internal::test {

using Steps = std::vector<EpilogueStep>;

inline constexpr EpilogueStep kAddChannel{EpilogueKind::kAddChannel};
inline constexpr EpilogueStep kMultiplyChannel{EpilogueKind::kMultiplyChannel};
inline constexpr EpilogueStep kAddTensor{EpilogueKind::kAddTensor};
inline constexpr EpilogueStep kAddIntegers{EpilogueKind::kAddIntegers, 0.0078125F};
inline constexpr EpilogueStep kRelu{EpilogueKind::kRelu};

}  // namespace coracle::internal::test
