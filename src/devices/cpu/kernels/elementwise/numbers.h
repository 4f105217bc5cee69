// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "devices/cpu/isa/number_binary.h"
#include "devices/cpu/isa/number_type.h"
#include "devices/cpu/isa/number_unary.h"
#include "devices/cpu/kernels/kernel_table.h"

namespace coracle::internal::cpu::kernels {

/// Nothing for complex numbers.
inline std::optional<NumberType> number_type(DType dtype) {
  switch (dtype) {
    case DType::kBool: return NumberType::kBool;
    case DType::kUint8: return NumberType::kUint8;
    case DType::kInt8: return NumberType::kInt8;
    case DType::kInt16: return NumberType::kInt16;
    case DType::kInt32: return NumberType::kInt32;
    case DType::kInt64: return NumberType::kInt64;
    case DType::kFloat16: return NumberType::kFloat16;
    case DType::kBfloat16: return NumberType::kBfloat16;
    case DType::kFloat32: return NumberType::kFloat32;
    case DType::kFloat64: return NumberType::kFloat64;
    default: return std::nullopt;
  }
}

/// Types for which there are loops of a kind; the same for every instruction set.
constexpr DTypes binary_types(NumberBinaryKind kind) {
  using Kind = NumberBinaryKind;
  if (kind >= Kind::kEqual) return kRealTypes - kHalfTypes;
  switch (kind) {
    case Kind::kAnd:
    case Kind::kOr:
    case Kind::kXor: return kIntegerTypes | DType::kBool;
    case Kind::kDivide: return kIntegerTypes;
    case Kind::kFloorDivide:
    case Kind::kRemainder: return kIntegerTypes | DType::kFloat32;
    default: return kIntegerTypes | DType::kFloat64;
  }
}

constexpr DTypes unary_types(NumberUnaryKind kind) {
  using Kind = NumberUnaryKind;
  if (kind == Kind::kNot) return kIntegerTypes | DType::kBool;
  const DTypes numbers = kRealTypes - kHalfTypes - DType::kBool;
  return kind == Kind::kLogicalNot ? numbers | DType::kBool : numbers;
}

/// What can be added: see Adder.
inline constexpr DTypes kSumTypes = binary_types(NumberBinaryKind::kAdd) | DType::kFloat32;

/// Calls f with an unsigned number of so many bytes (1, 2, 4 or 8): for what only moves elements.
template <class F>
void with_element(size_t bytes, const F& f) {
  switch (bytes) {
    case 1: return f(uint8_t{});
    case 2: return f(uint16_t{});
    case 4: return f(uint32_t{});
    default: return f(uint64_t{});
  }
}

}  // namespace coracle::internal::cpu::kernels
