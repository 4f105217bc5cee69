// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "base/buffer.h"
#include "ops/sequence/sequences.h"

namespace coracle::internal {

/// Row t of the result is the product of rows t + context_start to t + context_start + context_length - 1 of its
/// sequence, side by side, with filter [context_length * D, M]. Rows outside of the sequence are zero, or with
/// padding_trainable those of padding_data: first the rows above the sequence (as many as context_start is below 0),
/// then the rows below it. Paddle has context_stride but takes no other than 1.
struct SequenceConv {
  static constexpr const char* kName = "sequence_conv";
  static constexpr const char* kLegacy[] = {"sequence_conv"};
  static constexpr Port kInputs[] = {in("x", "X"), optional_weight_in("padding_data", "PaddingData"),
                                     weight_in("filter", "Filter")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  int context_length = 1;
  bool padding_trainable = false;
  int context_start = 0;
  int context_stride = 1;
  void attributes(AttributeVisitor& visit) {
    visit("context_length", context_length, "contextLength");
    visit("padding_trainable", padding_trainable, "paddingTrainable");
    visit("context_start", context_start, "contextStart");
    visit("context_stride", context_stride, "contextStride");
  }
  friend bool operator==(const SequenceConv&, const SequenceConv&) = default;
};

/// Rows of padding above (for `below` false) or below a sequence.
inline int64_t padding_rows(const SequenceConv& op, bool below) {
  const int64_t start = op.context_start;
  return std::max<int64_t>(0, below ? start + op.context_length - 1 : -start);
}

inline void infer(const SequenceConv& op, InferArgs& a) {
  const Shape& x = a.shape(0);
  const Shape& filter = a.shape(2);
  require(is_float(a.dtype(0)) && a.dtype(0) == a.dtype(2), "x is ", a.dtype(0), " and filter ", a.dtype(2));
  require(op.context_length > 0, "context_length is ", op.context_length);
  require(op.context_stride == 1, ErrorCode::kUnsupported, "context_stride is ", op.context_stride,
          ", expected 1, which is all that Paddle takes");
  require(!x.rank_known() || x.rank() == 2, "x is ", x, ", expected 2 dimensions");
  require(!filter.rank_known() || filter.rank() == 2, "filter is ", filter, ", expected 2 dimensions");
  if (x.rank_known() && filter.rank_known() && x[1] >= 0 && filter[0] >= 0) {
    require(filter[0] == x[1] * op.context_length, "filter is ", filter, ", but x is ", x, " and context_length ",
            op.context_length);
  }
  if (op.padding_trainable) {
    require(a.has(1), "padding_trainable is set, but there is no padding_data");
    const Shape& padding = a.shape(1);
    const int64_t rows = padding_rows(op, false) + padding_rows(op, true);
    require(a.dtype(1) == a.dtype(0), "x is ", a.dtype(0), " and padding_data ", a.dtype(1));
    require(rows > 0, "padding_trainable is set, but no row reaches out of its sequence: context_start is ",
            op.context_start, " and context_length ", op.context_length);
    const Shape expected{rows, x.rank_known() ? x[1] : Shape::kUnknown};
    require(compatible(padding, expected), "padding_data is ", padding, ", expected ", expected);
  }
  a.set(0, a.dtype(0),
        Shape{x.rank_known() ? x[0] : Shape::kUnknown, filter.rank_known() ? filter[1] : Shape::kUnknown});
}

inline void reference(const SequenceConv& op, ReferenceArgs& a) {
  const std::vector<int64_t> offsets = offsets_of(a.in(0));
  const int64_t width = a.shape(0)[1];
  const int64_t columns = a.shape(2)[1];
  const int64_t above = padding_rows(op, false);
  const int64_t taps = width == 0 ? 0 : op.context_length;
  Buffer<double> sums(static_cast<size_t>(columns), a.context());
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    for (size_t s = 0; s + 1 < offsets.size(); ++s) {
      for (int64_t t = offsets[s]; t < offsets[s + 1]; ++t) {
        std::fill(sums.begin(), sums.end(), 0.0);
        const int64_t first = t + op.context_start;
        for (int64_t k = 0; k < taps; ++k) {
          const int64_t from = first + k;
          const T* row = nullptr;
          if (from >= offsets[s] && from < offsets[s + 1]) {
            row = a.in(0).data<T>() + from * width;
          } else if (op.padding_trainable) {
            const int64_t before = from - offsets[s];  // negative above the sequence
            const int64_t at = above + (before < 0 ? before : from - offsets[s + 1]);
            row = a.in(1).data<T>() + at * width;
          } else {
            continue;
          }
          for (int64_t d = 0; d < width; ++d) {
            const auto x = static_cast<double>(row[d]);
            const T* filter = a.in(2).data<T>() + (k * width + d) * columns;
            for (int64_t j = 0; j < columns; ++j) sums[static_cast<size_t>(j)] += x * static_cast<double>(filter[j]);
          }
        }
        T* to = a.out(0).data<T>() + t * columns;
        for (int64_t j = 0; j < columns; ++j) to[j] = static_cast<T>(sums[static_cast<size_t>(j)]);
      }
    }
  });
}

inline constexpr const OpSchema* sequence_conv_op = &kOpSchema<SequenceConv>;

}  // namespace coracle::internal
