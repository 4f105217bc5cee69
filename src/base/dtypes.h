// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <string>

#include "base/dtype.h"

namespace coracle::internal {

/// A set of element types.
class DTypes {
 public:
  constexpr DTypes() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a type is the set of itself
  constexpr DTypes(DType type) : bits_(bit(type)) {}

  /// Every type of the enumeration but kUnknown.
  static constexpr DTypes all() { return DTypes(bit(DType::kUnknown) - 1); }

  constexpr bool has(DType type) const { return (bits_ & bit(type)) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr int count() const { return std::popcount(bits_); }

  friend constexpr DTypes operator|(DTypes a, DTypes b) { return DTypes(a.bits_ | b.bits_); }
  /// What is in `a` and not in `b`.
  friend constexpr DTypes operator-(DTypes a, DTypes b) { return DTypes(a.bits_ & ~b.bits_); }
  friend constexpr bool operator==(DTypes a, DTypes b) = default;

 private:
  explicit constexpr DTypes(unsigned bits) : bits_(static_cast<uint16_t>(bits)) {}
  static constexpr unsigned bit(DType type) { return 1U << static_cast<unsigned>(type); }

  uint16_t bits_ = 0;
  static_assert(static_cast<unsigned>(DType::kUnknown) < 16);
};

constexpr DTypes operator|(DType a, DType b) { return DTypes(a) | DTypes(b); }

/// The types of a kind.
constexpr DTypes types_of(DTypeKind kind) {
  DTypes types;
  for (const DTypeRow& row : kDTypeTable) {
    if (row.kind == kind && row.dtype != DType::kUnknown) types = types | row.dtype;
  }
  return types;
}

inline constexpr DTypes kComplexTypes = types_of(DTypeKind::kComplex);
/// Of 16 bits.
inline constexpr DTypes kHalfTypes = DType::kFloat16 | DType::kBfloat16;
/// Of 8 bits: stored, moved and cast only.
inline constexpr DTypes kFloat8Types = types_of(DTypeKind::kFloat8);
/// What is computed with, but for complex numbers.
inline constexpr DTypes kRealTypes = DTypes::all() - kComplexTypes - kFloat8Types;
/// int8 ... int64 and uint8 (not bool).
inline constexpr DTypes kIntegerTypes = types_of(DTypeKind::kSigned) | types_of(DTypeKind::kUnsigned);
/// What positions and sizes are counted in.
inline constexpr DTypes kIndexTypes = DType::kInt32 | DType::kInt64;

/// "float32", "int32 and int64"; "anything" where no type is missing.
void append_text(std::string& to, DTypes types);

}  // namespace coracle::internal
