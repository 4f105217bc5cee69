// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/norm/normalization.h"

namespace coracle::internal {

/// Integers that stand for entries of a table: dict[x], and -dict[x + 128] for negative x.
struct DequantizeLog {
  static constexpr const char* kName = "dequantize_log";
  static constexpr const char* kLegacy[] = {"dequantize_log"};
  static constexpr Port kInputs[] = {in("x", "X"), weight_in("dict", "Dict")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  friend bool operator==(const DequantizeLog&, const DequantizeLog&) = default;
};

inline void infer(const DequantizeLog&, InferArgs& a) {
  require(a.dtype(0) == DType::kInt8, "x is ", a.dtype(0), ", expected int8");
  require(a.dtype(1) == DType::kFloat32, "dict is ", a.dtype(1), ", expected float32");
  check_channels(a, 1, 128, "dict");
  a.set(0, a.dtype(1), a.shape(0));
}

inline void reference(const DequantizeLog&, ReferenceArgs& a) {
  const auto* table = a.in(1).data<float>();
  for (int64_t i = 0, n = a.in(0).count(); i < n; ++i) {
    const int q = a.in(0).data<int8_t>()[i];  // NOLINT(bugprone-signed-char-misuse): a number
    a.out(0).data<float>()[i] = q < 0 ? -table[q + 128] : table[q];
  }
}

inline constexpr const OpSchema* dequantize_log_op = &kOpSchema<DequantizeLog>;

}  // namespace coracle::internal
