// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

/// The element types: plain data, for the program too.
namespace coracle::internal {

// One row for each type, with all that enumerations, conversions and file formats need of it:
//
//   enumerator, of DType       C++ type (base/tensor.h includes what declares them)   kind, of DTypeKind
//   number in coracle.h, which is the place of the row: rows are added at the end
//   name: NumPy's, or that of ml_dtypes, which are Paddle's (attributes of PIR)       bytes of one element
//   VarType number of ProgramDesc and parameters         type of PIR, without the number of its dialect
//   enumerator in src/saved/schema.fbs
//
// What a row says is not said anywhere else in src; docs/architecture.md lists what else a type takes.
#define CORACLE_DTYPES(ROW)                                                                                        \
  ROW(kBool, bool, kBool, CORACLE_BOOL, "bool", 1, 0, "t_bool", Bool)                                              \
  ROW(kInt8, int8_t, kSigned, CORACLE_INT8, "int8", 1, 21, "t_i8", Int8)                                           \
  ROW(kUint8, uint8_t, kUnsigned, CORACLE_UINT8, "uint8", 1, 20, "t_ui8", Uint8)                                   \
  ROW(kInt16, int16_t, kSigned, CORACLE_INT16, "int16", 2, 1, "t_i16", Int16)                                      \
  ROW(kInt32, int32_t, kSigned, CORACLE_INT32, "int32", 4, 2, "t_i32", Int32)                                      \
  ROW(kInt64, int64_t, kSigned, CORACLE_INT64, "int64", 8, 3, "t_i64", Int64)                                      \
  ROW(kFloat16, Float16, kFloat, CORACLE_FLOAT16, "float16", 2, 4, "t_f16", Float16)                               \
  ROW(kBfloat16, Bfloat16, kFloat, CORACLE_BFLOAT16, "bfloat16", 2, 22, "t_bf16", Bfloat16)                        \
  ROW(kFloat32, float, kFloat, CORACLE_FLOAT32, "float32", 4, 5, "t_f32", Float32)                                 \
  ROW(kFloat64, double, kFloat, CORACLE_FLOAT64, "float64", 8, 6, "t_f64", Float64)                                \
  ROW(kComplex64, std::complex<float>, kComplex, CORACLE_COMPLEX64, "complex64", 8, 23, "t_c64", Complex64)        \
  ROW(kComplex128, std::complex<double>, kComplex, CORACLE_COMPLEX128, "complex128", 16, 24, "t_c128", Complex128) \
  ROW(kFloat8E4m3, Float8E4m3, kFloat8, CORACLE_FLOAT8_E4M3, "float8_e4m3fn", 1, 32, "t_f8e4m3fn", Float8E4m3)     \
  ROW(kFloat8E5m2, Float8E5m2, kFloat8, CORACLE_FLOAT8_E5M2, "float8_e5m2", 1, 33, "t_f8e5m2", Float8E5m2)

/// Element types. The numbers are those of coracle.h.
enum class DType : uint8_t {
#define CORACLE_ROW(enumerator, ...) enumerator,
  CORACLE_DTYPES(CORACLE_ROW)
#undef CORACLE_ROW
      kUnknown,  ///< of a Fact only: the type is known no sooner than in a run
};

/// What operators tell types apart by.
enum class DTypeKind : uint8_t {
  kBool,
  kSigned,
  kUnsigned,
  kFloat,   ///< real numbers that are computed with
  kFloat8,  ///< real numbers that are stored, moved and cast, and not computed with
  kComplex,
  kUnknown,
};

struct DTypeRow {
  DType dtype;
  DTypeKind kind;
  std::string_view name;
  size_t size;  ///< bytes of one element
  int var_type;
  std::string_view pir;
};

/// The row of a type is at its number. The last one is that of kUnknown.
inline constexpr DTypeRow kDTypeTable[] = {
#define CORACLE_ROW(enumerator, type, kind, c, name, size, var_type, pir, saved) \
  {DType::enumerator, DTypeKind::kind, name, size, var_type, pir},
    CORACLE_DTYPES(CORACLE_ROW)
#undef CORACLE_ROW
        {DType::kUnknown, DTypeKind::kUnknown, "unknown", 0, -1, ""}};

constexpr const DTypeRow& row_of(DType dtype) { return kDTypeTable[static_cast<size_t>(dtype)]; }

}  // namespace coracle::internal
