// SPDX-License-Identifier: Apache-2.0
#include "base/dtype.h"

namespace coracle::internal {
namespace {

constexpr size_t kTypes = static_cast<size_t>(DType::kUnknown);

/// Whether rows lie at the numbers of their types, and no two share a name or a number of a format.
constexpr bool is_consistent() {
  for (size_t i = 0; i < kTypes; ++i) {
    const DTypeRow& a = kDTypeTable[i];
    if (a.dtype != static_cast<DType>(i) || a.size == 0) return false;
    for (size_t j = 0; j < i; ++j) {
      const DTypeRow& b = kDTypeTable[j];
      if (a.name == b.name || a.var_type == b.var_type || a.pir == b.pir) return false;
    }
  }
  return true;
}
static_assert(is_consistent());

/// The type of the first row for which `is` holds.
template <class F>
std::optional<DType> find(const F& is) {
  for (size_t i = 0; i < kTypes; ++i) {
    if (is(kDTypeTable[i])) return static_cast<DType>(i);
  }
  return std::nullopt;
}

}  // namespace

size_t size_of(DType dtype) { return row_of(dtype).size; }

std::string_view name_of(DType dtype) { return row_of(dtype).name; }

std::optional<DType> dtype_of(std::string_view name) {
  return find([&](const DTypeRow& r) { return r.name == name; });
}

std::optional<DType> dtype_of_var_type(int64_t number) {
  return find([&](const DTypeRow& r) { return r.var_type == number; });
}

std::optional<DType> dtype_of_pir(std::string_view name) {
  return find([&](const DTypeRow& r) { return r.pir == name; });
}

bool is_float(DType dtype) { return row_of(dtype).kind == DTypeKind::kFloat; }

bool is_integer(DType dtype) {
  return row_of(dtype).kind == DTypeKind::kSigned || row_of(dtype).kind == DTypeKind::kUnsigned;
}

bool is_complex(DType dtype) { return row_of(dtype).kind == DTypeKind::kComplex; }

bool is_float8(DType dtype) { return row_of(dtype).kind == DTypeKind::kFloat8; }

}  // namespace coracle::internal
