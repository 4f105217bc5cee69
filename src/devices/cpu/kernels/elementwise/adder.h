// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "devices/cpu/isa/binary.h"
#include "devices/cpu/isa/number_binary.h"

namespace coracle::internal::cpu::kernels {

/// y[i] = a[i] + b[i] for numbers of one of the kSumTypes. y may be a or b.
struct Adder {
  const BinaryFunctions* floats = nullptr;  ///< for float32
  NumberBinaryLoop others = nullptr;

  static Adder of(Isa isa, NumberType type) {
    return {&binary_table(isa), number_binary_table(isa).loops(NumberBinaryKind::kAdd, type).same};
  }

  void operator()(const void* a, const void* b, void* y, size_t count) const {
    if (others != nullptr) return others(a, b, y, count);
    floats->same(BinaryKind::kAdd, static_cast<const float*>(a), static_cast<const float*>(b), static_cast<float*>(y),
                 count, {});
  }
};

}  // namespace coracle::internal::cpu::kernels
