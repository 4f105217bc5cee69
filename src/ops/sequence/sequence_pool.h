// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "ops/sequence/sequences.h"

namespace coracle::internal {

enum class SequencePooling : uint8_t { kSum, kAverage, kSqrt, kMax, kLast, kFirst };

inline std::span<const std::string_view> names_of(SequencePooling) {
  static constexpr std::string_view kNames[] = {"SUM", "AVERAGE", "SQRT", "MAX", "LAST", "FIRST"};
  return kNames;
}

/// One row for each sequence: sum, mean, sum over the square root of the length, largest, last or first row. An empty
/// sequence gives pad_value.
struct SequencePool {
  static constexpr const char* kName = "sequence_pool";
  static constexpr const char* kLegacy[] = {"sequence_pool"};
  static constexpr LodRule kLod = LodRule::kDerived;
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out"), optional_out("max_index", "MaxIndex")};
  bool is_test = false;
  SequencePooling pooltype = SequencePooling::kAverage;
  float pad_value = 0;
  void attributes(AttributeVisitor& visit) {
    visit("is_test", is_test);
    visit("pooltype", pooltype);
    visit("pad_value", pad_value);
  }
  friend bool operator==(const SequencePool&, const SequencePool&) = default;
};

inline void infer(const SequencePool&, InferArgs& a) {
  require(is_float(a.dtype(0)), "x is ", a.dtype(0), ", expected a real type");
  const Shape y = with_rows(a.shape(0), sequence_count(a.in(0)));
  a.set(0, a.dtype(0), y);
  a.set(1, DType::kInt32, y);
  const std::shared_ptr<const Lod>& lod = a.in(0).lod;
  if (lod != nullptr && lod->size() > 1) set_lod(a.out(0), Lod(lod->begin(), lod->end() - 1));
}

inline void reference(const SequencePool& op, ReferenceArgs& a) {
  const std::vector<int64_t> offsets = offsets_of(a.in(0));
  const int64_t width = row_count(a.shape(0));
  const Shape y = with_rows(a.shape(0), static_cast<int64_t>(offsets.size()) - 1);
  if (a.out(0).empty_handle()) a.out(0) = a.make(a.in(0).dtype(), y);
  if (a.wants(1)) {
    if (a.out(1).empty_handle()) a.out(1) = a.make(DType::kInt32, y);
    std::fill_n(a.out(1).data<int32_t>(), a.out(1).count(), 0);
  }
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    T* to = a.out(0).data<T>();
    for (size_t s = 0; s + 1 < offsets.size(); ++s) {
      const int64_t length = offsets[s + 1] - offsets[s];
      const T* x = a.in(0).data<T>() + offsets[s] * width;
      for (int64_t j = 0; j < width; ++j, ++to, ++x) {
        if (length == 0) {
          *to = static_cast<T>(op.pad_value);
          continue;
        }
        if (op.pooltype == SequencePooling::kFirst || op.pooltype == SequencePooling::kLast) {
          *to = x[op.pooltype == SequencePooling::kFirst ? 0 : (length - 1) * width];
          continue;
        }
        if (op.pooltype == SequencePooling::kMax) {
          int64_t best = 0;
          for (int64_t t = 1; t < length; ++t) {
            if (static_cast<double>(x[t * width]) > static_cast<double>(x[best * width])) best = t;
          }
          *to = x[best * width];
          if (a.wants(1)) a.out(1).data<int32_t>()[to - a.out(0).data<T>()] = static_cast<int32_t>(offsets[s] + best);
          continue;
        }
        double sum = 0;
        for (int64_t t = 0; t < length; ++t) sum += static_cast<double>(x[t * width]);
        const auto n = static_cast<double>(length);
        if (op.pooltype == SequencePooling::kAverage) sum /= n;
        if (op.pooltype == SequencePooling::kSqrt) sum /= std::sqrt(n);
        *to = static_cast<T>(sum);
      }
    }
  });
}

inline constexpr const OpSchema* sequence_pool_op = &kOpSchema<SequencePool>;

}  // namespace coracle::internal
