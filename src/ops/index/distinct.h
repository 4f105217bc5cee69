// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/buffer.h"
#include "ops/common/joining.h"

namespace coracle::internal {

/// The distinct slices of a tensor along an axis, each once.
struct Distinct {
  enum class Order : uint8_t {
    kSorted,       ///< ascending, compared element by element
    kAppearance,   ///< by first appearance
    kConsecutive,  ///< only neighbours are compared
  };
  explicit Distinct(const RunContext& context) : first(context), inverse(context), counts(context) {}

  Buffer<int64_t> first;    ///< slice of x where each first appears
  Buffer<int64_t> inverse;  ///< which of the distinct ones each slice of x is
  Buffer<int64_t> counts;   ///< how often each appears
};

/// Slices along `axis`; x as one row where `axes` is empty.
Distinct distinct_slices(const RunContext& context, const Tensor& x, const Ints& axes, Distinct::Order order);

/// Result 0: unknown number of slices. Results `inverse_port` and the others of `ports`: one row of `index` each.
void infer_distinct(InferArgs& a, const Ints& axes, DType index, int inverse_port, std::initializer_list<int> ports);

/// Assigns result 0: the slices `first` of x.
void take_distinct(ReferenceArgs& a, const Ints& axes, const Distinct& distinct);

/// `values` as a row of int32 or int64.
Tensor index_row(const RunContext& context, std::span<const int64_t> values, DType dtype);

/// The type of index results: int32 or int64 (anything else a file may say stands for int64).
inline DType index_dtype(DType wanted) { return wanted == DType::kInt32 ? wanted : DType::kInt64; }

}  // namespace coracle::internal
