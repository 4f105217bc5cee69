// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "graph/op.h"
#include "ops/rnn/recurrent.h"

namespace coracle::internal {

/// out[t] = sum of x[t + i] * filter[i] over the steps i that filter [steps, D] has, within each sequence. x is
/// [rows, D] with sequences one after the other, or [batch, time, D].
struct RowConv {
  static constexpr const char* kName = "row_conv";
  static constexpr const char* kLegacy[] = {"row_conv"};
  static constexpr Port kInputs[] = {in("x", "X"), weight_in("filter", "Filter")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  friend bool operator==(const RowConv&, const RowConv&) = default;
};

inline void infer(const RowConv&, InferArgs& a) {
  require(is_float(a.dtype(0)), "x is ", a.dtype(0), ", expected a real type");
  const Shape& x = a.shape(0);
  const Shape& filter = a.shape(1);
  require(a.dtype(1) == a.dtype(0), "filter is ", a.dtype(1), ", but x is ", a.dtype(0));
  a.set(0, a.dtype(0), x);
  if (!x.rank_known() || !filter.known()) return;
  require(x.rank() == 2 || x.rank() == 3, "x ", x, " has ", x.rank(), " dimensions, expected 2 or 3");
  require(filter.rank() == 2 && (x.back() < 0 || filter[1] == x.back()), "filter ", filter, " does not fit x ", x);
}

inline void reference(const RowConv&, ReferenceArgs& a) {
  const Shape& s = a.shape(0);
  const int64_t width = s.back();
  std::vector<int64_t> offsets;
  if (s.rank() == 2) {
    offsets = sequence_offsets(a.in(0).lod(), s[0]);
  } else {
    for (int64_t b = 0; b <= s[0]; ++b) offsets.push_back(b * s[1]);
  }
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    const T* x = a.in(0).data<T>();
    const T* filter = a.in(1).data<T>();
    for (size_t q = 0; q + 1 < offsets.size(); ++q) {
      for (int64_t t = offsets[q]; t < offsets[q + 1]; ++t) {
        const int64_t steps = std::min(a.shape(1)[0], offsets[q + 1] - t);
        for (int64_t j = 0; j < width; ++j) {
          double sum = 0;
          for (int64_t i = 0; i < steps; ++i) {
            sum += static_cast<double>(x[(t + i) * width + j]) * static_cast<double>(filter[i * width + j]);
          }
          a.out(0).data<T>()[t * width + j] = static_cast<T>(sum);
        }
      }
    }
  });
}

inline constexpr const OpSchema* row_conv_op = &kOpSchema<RowConv>;

}  // namespace coracle::internal
