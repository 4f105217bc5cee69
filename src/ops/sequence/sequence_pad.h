// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "base/copy_bytes.h"
#include "ops/sequence/sequences.h"

namespace coracle::internal {

/// Sequences of rows as [sequences, steps, ...], filled up with pad_value (one element or a row); length [sequences]
/// has their lengths. padded_length -1: as long as the longest.
struct SequencePad {
  static constexpr const char* kName = "sequence_pad";
  static constexpr const char* kLegacy[] = {"sequence_pad"};
  static constexpr Port kInputs[] = {in("x", "X"), in("pad_value", "PadValue")};
  static constexpr Port kOutputs[] = {out("out", "Out"), optional_out("length", "Length")};
  int padded_length = -1;
  void attributes(AttributeVisitor& visit) { visit("padded_length", padded_length); }
  friend bool operator==(const SequencePad&, const SequencePad&) = default;
};

/// The result's shape for sequences at `offsets`.
inline Shape padded_shape(const SequencePad& op, Shape x, std::span<const int64_t> offsets) {
  int64_t longest = 0;
  for (size_t i = 1; i < offsets.size(); ++i) longest = std::max(longest, offsets[i] - offsets[i - 1]);
  require(op.padded_length < 0 || op.padded_length >= longest, ErrorCode::kRunFailure, "padded_length is ",
          op.padded_length, ", but a sequence has ", longest, " rows");
  x[0] = op.padded_length < 0 ? longest : op.padded_length;
  x.insert(0, static_cast<int64_t>(offsets.size()) - 1);
  return x;
}

inline void infer(const SequencePad& op, InferArgs& a) {
  const Shape& x = a.shape(0);
  require(a.dtype(0) == a.dtype(1), "x is ", a.dtype(0), " and pad_value ", a.dtype(1));
  require(!x.rank_known() || x.rank() > 0, "x is a scalar, expected rows");
  if (x.known() && a.shape(1).known()) {
    require(a.shape(1).count() == 1 || a.shape(1).count() == row_count(x), "pad_value is ", a.shape(1), ", but x is ",
            x);
  }
  const std::vector<int64_t> offsets = known_offsets(a.in(0));
  Shape y = x;
  if (y.rank_known()) {
    if (offsets.empty()) {
      y[0] = op.padded_length;
      y.insert(0, Shape::kUnknown);
    } else {
      y = padded_shape(op, x, offsets);
    }
  }
  a.set(0, a.dtype(0), y);
  a.set(1, DType::kInt64, Shape{offsets.empty() ? Shape::kUnknown : static_cast<int64_t>(offsets.size()) - 1});
}

inline void reference(const SequencePad& op, ReferenceArgs& a) {
  const std::vector<int64_t> offsets = offsets_of(a.in(0));
  const Shape y = padded_shape(op, a.shape(0), offsets);
  if (a.out(0).empty_handle()) a.out(0) = a.make(a.in(0).dtype(), y);
  const size_t row = row_bytes(a.in(0));
  const size_t pad = a.in(1).bytes();
  char* to = a.out(0).data<char>();
  for (int64_t s = 0; s < y[0]; ++s) {
    const auto n = static_cast<size_t>(s);
    const auto length = static_cast<size_t>(offsets[n + 1] - offsets[n]);
    if (length * row != 0) copy_bytes(to, a.in(0).data<char>() + static_cast<size_t>(offsets[n]) * row, length * row);
    const size_t all = static_cast<size_t>(y[1]) * row;
    for (size_t at = length * row; at < all; at += pad) copy_bytes(to + at, a.in(1).raw(), pad);
    to += all;
  }
  if (!a.wants(1)) return;
  if (a.out(1).empty_handle()) a.out(1) = a.make(DType::kInt64, Shape{y[0]});
  for (size_t i = 0; i + 1 < offsets.size(); ++i) a.out(1).data<int64_t>()[i] = offsets[i + 1] - offsets[i];
}

inline constexpr const OpSchema* sequence_pad_op = &kOpSchema<SequencePad>;

}  // namespace coracle::internal
