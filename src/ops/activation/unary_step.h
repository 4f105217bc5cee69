// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/element_steps.h"

namespace coracle::internal {

/// A step with numbers as attributes have them.
constexpr UnaryStep unary(UnaryKind kind, double a = 0, double b = 0, double c = 0) {
  return {kind, static_cast<float>(a), static_cast<float>(b), static_cast<float>(c)};
}

}  // namespace coracle::internal
