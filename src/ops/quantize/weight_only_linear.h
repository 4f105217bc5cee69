// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/buffer.h"
#include "ops/matmul/matrix_product.h"
#include "ops/quantize/weight_packing.h"

namespace coracle::internal {

/// x @ w + bias for a matrix w that weight_quantize() packed for `arch` (0: unknown, as for 80).
struct WeightOnlyLinear {
  static constexpr const char* kName = "weight_only_linear";
  static constexpr const char* kLegacy[] = {"weight_only_linear"};
  static constexpr Port kInputs[] = {in("x", "x"), weight_in("weight", "weight"), optional_weight_in("bias", "bias"),
                                     weight_in("weight_scale", "weight_scale")};
  static constexpr Port kOutputs[] = {out("out", "out")};
  std::string weight_dtype = "int8";
  int arch = 80;
  int group_size = -1;
  void attributes(AttributeVisitor& visit) {
    visit("weight_dtype", weight_dtype);
    visit("arch", arch);
    visit("group_size", group_size);
  }
  WeightPacking packing() const {
    require(weight_dtype == "int8" || weight_dtype == "int4", "weight_dtype is '", weight_dtype,
            "', expected int8 or int4");
    return weight_packing("weight_only_" + weight_dtype, arch == 0 ? 80 : arch);
  }
  friend bool operator==(const WeightOnlyLinear&, const WeightOnlyLinear&) = default;
};

/// Types and shapes of x @ w + bias with a packed w on ports 0 to 3.
inline void infer_packed_product(InferArgs& a, const WeightPacking& packing, int group_size) {
  const Shape& w = a.shape(1);
  require(is_float(a.dtype(0)), "x is ", a.dtype(0), ", expected a real type");
  require(a.dtype(1) == DType::kInt8, "weight is ", a.dtype(1), ", expected int8");
  Shape y = a.shape(0);
  if (y.rank_known()) {
    require(y.rank() >= 1, "x is a scalar, expected at least one dimension");
    int64_t columns = Shape::kUnknown;
    if (w.known()) {
      require(w.rank() == 2, "weight is ", w, ", expected a matrix");
      columns = w[0] * 8 / packing.bits;
      require(y.back() < 0 || y.back() == w[1], "x is ", y, " for weight ", w);
      require_packable(packing, w[1], columns);
      if (a.shape(3).known()) require_scales(a.shape(3), w[1], columns, group_size);
      if (a.has(2) && a.shape(2).known()) {
        require(a.shape(2).count() == columns, "bias is ", a.shape(2), ", expected ", columns, " elements");
      }
    }
    y[y.rank() - 1] = columns;
  }
  a.set(0, a.dtype(0), y);
}

inline void reference_packed_product(ReferenceArgs& a, const WeightPacking& packing, int group_size) {
  const int64_t rows = a.shape(1)[1];
  const int64_t columns = a.out(0).shape().back();
  const Buffer<double> w = unpacked_weight(a.context(), packing, a.in(1), a.in(3), rows, columns, group_size);
  const Buffer<double> x = a.doubles(0);
  const Buffer<double> bias = a.has(2) ? a.doubles(2) : Buffer<double>(static_cast<size_t>(columns), 0.0, a.context());
  Buffer<double> y(a.context());
  for (int64_t i = 0, n = rows == 0 ? 0 : a.in(0).count() / rows; i < n; ++i) {
    Buffer<double> row = bias;
    for (int64_t k = 0; k < rows; ++k) {
      for (int64_t j = 0; j < columns; ++j) {
        row[static_cast<size_t>(j)] += x[static_cast<size_t>(i * rows + k)] * w[static_cast<size_t>(k * columns + j)];
      }
    }
    y.insert(y.end(), row.begin(), row.end());
  }
  a.out(0).assign(a.context(), std::span<const double>(y));
}

inline void infer(const WeightOnlyLinear& op, InferArgs& a) { infer_packed_product(a, op.packing(), op.group_size); }

inline void reference(const WeightOnlyLinear& op, ReferenceArgs& a) {
  reference_packed_product(a, op.packing(), op.group_size);
}

inline constexpr const OpSchema* weight_only_linear_op = &kOpSchema<WeightOnlyLinear>;

}  // namespace coracle::internal
