// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>

#include "graph/op.h"

namespace coracle {

/// The type of the parts of a complex number; a real type is its own.
inline DType part_type(DType dtype) {
  if (dtype == DType::kComplex64) return DType::kFloat32;
  if (dtype == DType::kComplex128) return DType::kFloat64;
  return dtype;
}

/// The complex type of parts of a type.
inline DType complex_type(DType part) { return part == DType::kFloat64 ? DType::kComplex128 : DType::kComplex64; }

/// Calls f with a null pointer of the part type of a complex type.
template <class F>
void visit_complex(DType dtype, const F& f) {
  if (dtype == DType::kComplex64) return f(static_cast<float*>(nullptr));
  require(dtype == DType::kComplex128, ErrorCode::kUnsupported, "element type ", dtype,
          " is not supported here, expected ", "a complex type");
  f(static_cast<double*>(nullptr));
}

}  // namespace coracle
