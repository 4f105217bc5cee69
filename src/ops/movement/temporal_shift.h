// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "base/convert.h"
#include "base/copy_bytes.h"
#include "ops/movement/rearranging.h"

namespace coracle::internal {

/// Rows are seg_num frames of each clip: the first shift_ratio of the channels come from the frame before, the next as
/// many from the frame after (zeros at the ends), the others stay.
struct TemporalShift {
  static constexpr const char* kName = "temporal_shift";
  static constexpr const char* kLegacy[] = {"temporal_shift"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  int seg_num = 1;
  float shift_ratio = 0.25F;
  std::string data_format = "NCHW";
  void attributes(AttributeVisitor& visit) {
    visit("seg_num", seg_num);
    visit("shift_ratio", shift_ratio);
    visit("data_format", data_format);
  }
  friend bool operator==(const TemporalShift&, const TemporalShift&) = default;
};

inline void infer(const TemporalShift& op, InferArgs& a) {
  const Shape x = image_shape(a.shape(0));
  divided(x[0], op.seg_num, "seg_num");
  require(op.shift_ratio > 0 && op.shift_ratio <= 0.5F, "shift_ratio is ", op.shift_ratio,
          ", expected more than 0 and at most 0.5");
  a.set(0, a.dtype(0), x);
}

inline void reference(const TemporalShift& op, ReferenceArgs& a) {
  const Shape& x = a.shape(0);
  const size_t element = size_of(a.in(0).dtype());
  const bool last = channels_are_last(op.data_format);
  const int64_t channels = last ? x[3] : x[1];
  const int64_t inner = last ? 1 : x[2] * x[3];
  const int64_t outer = last ? x[1] * x[2] : 1;
  const int64_t frame = channels * inner * outer;
  const auto before = position(static_cast<float>(channels) * op.shift_ratio);
  const auto after = position(static_cast<float>(channels) * 2 * op.shift_ratio);
  const char* from = a.in(0).data<char>();
  char* to = a.out(0).data<char>();
  for (int64_t n = 0; n < x[0]; ++n) {
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t c = 0; c < channels; ++c) {
        const int64_t shift = c < before ? -1 : (c < after ? 1 : 0);
        const int64_t t = n % op.seg_num + shift;
        const int64_t at = (o * channels + c) * inner;
        char* target = to + static_cast<size_t>(n * frame + at) * element;
        const size_t bytes = static_cast<size_t>(inner) * element;
        if (bytes == 0) continue;
        if (t < 0 || t >= op.seg_num) {
          std::memset(target, 0, bytes);
        } else {
          copy_bytes(target, from + static_cast<size_t>((n + shift) * frame + at) * element, bytes);
        }
      }
    }
  }
}

inline constexpr const OpSchema* temporal_shift_op = &kOpSchema<TemporalShift>;

}  // namespace coracle::internal
