// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "graph/op.h"

namespace coracle::internal {

/// Overlapping pieces of a signal, hop_length apart: [..., n] becomes [..., frame_length, frames] for axis -1, [n, ...]
/// becomes [frames, frame_length, ...] for axis 0.
struct Frame {
  static constexpr const char* kName = "frame";
  static constexpr const char* kLegacy[] = {"frame"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  int64_t frame_length = 1;
  int64_t hop_length = 1;
  int64_t axis = -1;
  void attributes(AttributeVisitor& visit) {
    visit("frame_length", frame_length);
    visit("hop_length", hop_length);
    visit("axis", axis);
  }
  friend bool operator==(const Frame&, const Frame&) = default;
};

inline void infer(const Frame& op, InferArgs& a) {
  require(op.frame_length > 0 && op.hop_length > 0, "frame_length is ", op.frame_length, ", hop_length ",
          op.hop_length);
  require(op.axis == 0 || op.axis == -1, "axis is ", op.axis, ", expected 0 or -1");
  const Shape& x = a.shape(0);
  if (!x.rank_known()) return a.set(0, a.dtype(0), x);
  require(x.rank() >= 1, "x is a scalar, expected a signal");
  const int64_t n = op.axis == 0 ? x[0] : x.back();
  require(n < 0 || n >= op.frame_length, "frame_length is ", op.frame_length, ", but the signal has ", n, " elements");
  const int64_t frames = n < 0 ? Shape::kUnknown : (n - op.frame_length) / op.hop_length + 1;
  Shape y = x;
  if (op.axis == 0) {
    y[0] = op.frame_length;
    y.insert(0, frames);
  } else {
    y[y.rank() - 1] = op.frame_length;
    y.push_back(frames);
  }
  a.set(0, a.dtype(0), y);
}

inline void reference(const Frame& op, ReferenceArgs& a) {
  const Shape& x = a.shape(0);
  const Shape& y = a.out(0).shape();
  const size_t size = size_of(a.in(0).dtype());
  const auto* from = static_cast<const char*>(a.in(0).raw());
  auto* to = static_cast<char*>(a.out(0).raw());
  if (op.axis == 0) {
    const auto row = static_cast<size_t>(x.count(1, x.rank())) * size;
    const auto block = static_cast<size_t>(op.frame_length) * row;
    for (int64_t f = 0; f < y[0] && row != 0; ++f) {
      std::memcpy(to + static_cast<size_t>(f) * block, from + static_cast<size_t>(f * op.hop_length) * row, block);
    }
    return;
  }
  const int64_t frames = y.back();
  for (int64_t r = 0, rows = x.count(0, x.rank() - 1); r < rows; ++r) {
    for (int64_t k = 0; k < op.frame_length; ++k) {
      for (int64_t f = 0; f < frames; ++f) {
        std::memcpy(to + static_cast<size_t>((r * op.frame_length + k) * frames + f) * size,
                    from + static_cast<size_t>(r * x.back() + f * op.hop_length + k) * size, size);
      }
    }
  }
}

inline constexpr const OpSchema* frame_op = &kOpSchema<Frame>;

}  // namespace coracle::internal
