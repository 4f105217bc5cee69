// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/buffer.h"
#include "ops/sequence/sequences.h"

namespace coracle::internal {

/// Labels without blanks and (merge_repeated) without repetitions. Sequences [N, 1] (offsets) become shorter ones;
/// rows [N, steps], of which the first input_length steps count, are filled up with padding_value.
struct CtcAlign {
  static constexpr const char* kName = "ctc_align";
  static constexpr const char* kLegacy[] = {"ctc_align"};
  static constexpr LodRule kLod = LodRule::kOwn;
  static constexpr Port kInputs[] = {in("input", "Input"), optional_in("input_length", "InputLength")};
  static constexpr Port kOutputs[] = {out("output", "Output"), optional_out("output_length", "OutputLength")};
  int blank = 0;
  bool merge_repeated = true;
  int padding_value = 0;
  void attributes(AttributeVisitor& visit) {
    visit("blank", blank);
    visit("merge_repeated", merge_repeated);
    visit("padding_value", padding_value);
  }
  friend bool operator==(const CtcAlign&, const CtcAlign&) = default;
};

inline void infer(const CtcAlign&, InferArgs& a) {
  const Shape& x = a.shape(0);
  require(a.dtype(0) == DType::kInt64 || a.dtype(0) == DType::kInt32, "input is ", a.dtype(0), ", expected integers");
  require(!x.rank_known() || x.rank() == 2, "input is ", x, ", expected 2 dimensions");
  if (!a.has(1)) {
    require_one_per_row(x, "input");
    a.set(0, a.dtype(0), Shape{Shape::kUnknown, 1});
    return;
  }
  const int64_t rows = x.rank_known() ? x[0] : Shape::kUnknown;
  require(rows < 0 || !a.shape(1).known() || a.shape(1).count() == rows, "input is ", x, ", but input_length ",
          a.shape(1));
  a.set(0, a.dtype(0), x);
  a.set(1, a.dtype(0), Shape{rows, 1});
}

/// Appends what remains of the labels x[0 .. count).
inline void align_labels(const CtcAlign& op, const int64_t* x, int64_t count, Buffer<int64_t>& to) {
  int64_t previous = -1;
  for (int64_t i = 0; i < count; ++i) {
    if (x[i] != op.blank && !(op.merge_repeated && x[i] == previous)) to.push_back(x[i]);
    previous = x[i];
  }
}

inline void reference(const CtcAlign& op, ReferenceArgs& a) {
  const Buffer<int64_t> x = a.integers(0);
  Buffer<int64_t> y(a.context());
  if (a.has(1)) {
    const int64_t steps = a.shape(0)[1];
    const Buffer<int64_t> lengths = a.integers(1);
    Buffer<int64_t> remaining(a.context());
    for (size_t n = 0; n < lengths.size(); ++n) {
      require(lengths[n] >= 0 && lengths[n] <= steps, ErrorCode::kRunFailure, "a length is ", lengths[n],
              ", there are ", steps, " steps");
      const size_t start = n * static_cast<size_t>(steps);
      align_labels(op, x.data() + start, lengths[n], y);
      remaining.push_back(static_cast<int64_t>(y.size() - start));
      y.resize(start + static_cast<size_t>(steps), op.padding_value);
    }
    a.out(0).assign(a.context(), std::span<const int64_t>(y));
    if (a.wants(1)) a.out(1).assign(a.context(), std::span<const int64_t>(remaining));
    return;
  }
  const std::vector<int64_t> offsets = offsets_of(a.in(0));
  std::vector<size_t> ends{0};
  for (size_t s = 0; s + 1 < offsets.size(); ++s) {
    align_labels(op, x.data() + offsets[s], offsets[s + 1] - offsets[s], y);
    ends.push_back(y.size());
  }
  // One label -1 says that nothing remains.
  if (y.empty()) y.push_back(-1);
  a.out(0) = a.make(a.in(0).dtype(), Shape{static_cast<int64_t>(y.size()), 1});
  a.out(0).assign(a.context(), std::span<const int64_t>(y));
  a.out(0).set_lod({std::move(ends)});
}

inline constexpr const OpSchema* ctc_align_op = &kOpSchema<CtcAlign>;

}  // namespace coracle::internal
