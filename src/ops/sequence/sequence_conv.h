// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "base/buffer.h"
#include "ops/sequence/sequences.h"

namespace coracle {

/// Row t of the result is the product of rows t + context_start to t + context_start + context_length - 1 of its
/// sequence (zero outside it), side by side, with filter [context_length * D, M].
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

inline void infer(const SequenceConv& op, InferArgs& a) {
  const Shape& x = a.shape(0);
  const Shape& filter = a.shape(2);
  require(is_float(a.dtype(0)) && a.dtype(0) == a.dtype(2), "x is ", a.dtype(0), " and filter ", a.dtype(2));
  require(op.context_length > 0, "context_length is ", op.context_length);
  require(op.context_stride == 1 && !op.padding_trainable, ErrorCode::kUnsupported,
          "sequence_conv with a stride or trained padding is not supported");
  require(!x.rank_known() || x.rank() == 2, "x is ", x, ", expected 2 dimensions");
  require(!filter.rank_known() || filter.rank() == 2, "filter is ", filter, ", expected 2 dimensions");
  if (x.rank_known() && filter.rank_known() && x[1] >= 0 && filter[0] >= 0) {
    require(filter[0] == x[1] * op.context_length, "filter is ", filter, ", but x is ", x, " and context_length ",
            op.context_length);
  }
  a.set(0, a.dtype(0),
        Shape{x.rank_known() ? x[0] : Shape::kUnknown, filter.rank_known() ? filter[1] : Shape::kUnknown});
}

inline void reference(const SequenceConv& op, ReferenceArgs& a) {
  const std::vector<int64_t> offsets = offsets_of(a.in(0));
  const int64_t width = a.shape(0)[1];
  const int64_t columns = a.shape(2)[1];
  Buffer<double> sums(static_cast<size_t>(columns));
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    for (size_t s = 0; s + 1 < offsets.size(); ++s) {
      for (int64_t t = offsets[s]; t < offsets[s + 1]; ++t) {
        std::fill(sums.begin(), sums.end(), 0.0);
        const int64_t first = t + op.context_start;
        const int64_t end = std::min(first + op.context_length, offsets[s + 1]);
        for (int64_t from = std::max(first, offsets[s]); from < end; ++from) {
          const int64_t k = from - first;
          for (int64_t d = 0; d < width; ++d) {
            const auto x = static_cast<double>(a.in(0).data<T>()[from * width + d]);
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

inline constexpr const OpRow* sequence_conv_op = &kOpRow<SequenceConv>;

}  // namespace coracle
