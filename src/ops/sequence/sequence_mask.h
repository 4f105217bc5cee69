// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "base/buffer.h"
#include "base/convert.h"
#include "ops/common/operands.h"

namespace coracle::internal {

/// For each length in x a row of max_len numbers: 1 at places before the length, then 0. Without max_len (or where it
/// is not positive) rows are as long as the largest length.
struct SequenceMask {
  static constexpr const char* kName = "sequence_mask";
  static constexpr const char* kLegacy[] = {"sequence_mask"};
  static constexpr Port kInputs[] = {in("x", "X"), shape_in("max_len", "maxlen", "MaxLenTensor")};
  static constexpr Port kOutputs[] = {out("y", "Y")};
  DType out_dtype = DType::kInt64;
  void attributes(AttributeVisitor& visit) { visit("out_dtype", out_dtype); }
  friend bool operator==(const SequenceMask&, const SequenceMask&) = default;
};

inline void infer(const SequenceMask& op, InferArgs& a) {
  const std::optional<int64_t> max_len = axis_operand(a, 1, -1);
  Shape y = a.shape(0);
  if (y.rank_known()) y.push_back(max_len && *max_len > 0 ? *max_len : Shape::kUnknown);
  a.set(0, op.out_dtype, y);
}

inline void reference(const SequenceMask& op, ReferenceArgs& a) {
  Buffer<int64_t> lengths = a.integers(0);
  int64_t width = a.has(1) ? a.in(1).integer(0) : -1;
  if (width <= 0) {
    width = 0;
    for (int64_t length : lengths) width = std::max(width, length);
  }
  constexpr int64_t kMaxWidth = int64_t{1} << 28U;
  require(width <= kMaxWidth, ErrorCode::kRunFailure, "a mask of width ", width, " was asked for, at most ", kMaxWidth,
          " is possible");
  if (a.out(0).empty_handle()) {
    Shape y = a.shape(0);
    y.push_back(width);
    a.out(0) = a.make(op.out_dtype, y);
  }
  if (is_float(a.in(0).dtype())) {  // a place is within a length of 1.5 if it is before 2
    const Buffer<double> real = a.doubles(0);
    std::transform(real.begin(), real.end(), lengths.begin(), [](double x) { return position(std::ceil(x)); });
  }
  visit_real(op.out_dtype, [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    T* to = a.out(0).data<T>();
    for (int64_t length : lengths) {
      for (int64_t i = 0; i < width; ++i) *to++ = static_cast<T>(i < length ? 1 : 0);
    }
  });
}

inline constexpr const OpSchema* sequence_mask_op = &kOpSchema<SequenceMask>;

}  // namespace coracle::internal
