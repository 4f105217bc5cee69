// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <numeric>

#include "base/buffer.h"
#include "base/long_loop.h"
#include "ops/sequence/sequences.h"

namespace coracle::internal {

/// How many insertions, deletions and replacements turn each sequence of hyps into that of refs, with `normalized`
/// divided by the length of the latter. Sequences have offsets or are rows [N, steps] with lengths.
struct EditDistance {
  static constexpr const char* kName = "edit_distance";
  static constexpr const char* kLegacy[] = {"edit_distance"};
  static constexpr Port kInputs[] = {in("hyps", "Hyps"), in("refs", "Refs"), optional_in("hypslength", "HypsLength"),
                                     optional_in("refslength", "RefsLength")};
  static constexpr Port kOutputs[] = {optional_out("sequencenum", "SequenceNum"), out("out", "Out")};
  bool normalized = false;
  void attributes(AttributeVisitor& visit) { visit("normalized", normalized); }
  friend bool operator==(const EditDistance&, const EditDistance&) = default;
};

inline void infer(const EditDistance&, InferArgs& a) {
  for (int port : {0, 1}) {
    require(is_integer(a.dtype(port)), port == 0 ? "hyps" : "refs", " are ", a.dtype(port), ", expected integers");
    require(!a.has(2) || !a.shape(port).rank_known() || a.shape(port).rank() == 2, port == 0 ? "hyps" : "refs", " are ",
            a.shape(port), ", expected [N, steps]");
  }
  require(a.has(2) == a.has(3), "lengths are given for one of hyps and refs only");
  a.set(0, DType::kInt64, Shape{1});
  a.set(1, DType::kFloat32, Shape{Shape::kUnknown, 1});
}

/// Where each sequence of operand `port` begins and ends among its elements; `length_port` may be absent.
inline std::vector<std::pair<int64_t, int64_t>> sequence_ranges(const ReferenceArgs& a, int port, int length_port) {
  std::vector<std::pair<int64_t, int64_t>> ranges;
  if (!a.has(length_port)) {
    const std::vector<int64_t> offsets = offsets_of(a.in(port));
    require(a.in(port).count() == offsets.back(), ErrorCode::kRunFailure, "sequences are ", a.shape(port),
            ", expected [N, 1]");
    for (size_t s = 0; s + 1 < offsets.size(); ++s) ranges.emplace_back(offsets[s], offsets[s + 1]);
    return ranges;
  }
  const Buffer<int64_t> lengths = a.integers(length_port);
  require(static_cast<int64_t>(lengths.size()) == a.shape(port)[0], ErrorCode::kRunFailure, "there are ",
          lengths.size(), " lengths for rows ", a.shape(port));
  int64_t start = 0;
  for (const int64_t length : lengths) {
    require(length >= 0 && length <= a.shape(port)[1], ErrorCode::kRunFailure, "a length is ", length, " for rows ",
            a.shape(port));
    ranges.emplace_back(start, start + length);
    start += a.shape(port)[1];
  }
  return ranges;
}

inline int64_t edit_distance(const RunContext& context, std::span<const int64_t> x, std::span<const int64_t> y) {
  std::vector<int64_t> row(y.size() + 1);  // distances of the first i elements of x to each beginning of y
  std::iota(row.begin(), row.end(), 0);
  LoopCheck check(context);
  for (size_t i = 1; i <= x.size(); ++i) {
    check.step(static_cast<int64_t>(y.size()));
    int64_t diagonal = std::exchange(row[0], static_cast<int64_t>(i));
    for (size_t j = 1; j <= y.size(); ++j) {
      const int64_t replaced = diagonal + (x[i - 1] == y[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

inline void reference(const EditDistance& op, ReferenceArgs& a) {
  const auto hyps = sequence_ranges(a, 0, 2);
  const auto refs = sequence_ranges(a, 1, 3);
  require(hyps.size() == refs.size(), ErrorCode::kRunFailure, "there are ", hyps.size(), " hyps and ", refs.size(),
          " refs");
  const Buffer<int64_t> x = a.integers(0);
  const Buffer<int64_t> y = a.integers(1);
  const auto count = static_cast<int64_t>(hyps.size());
  a.out(1) = a.make(DType::kFloat32, Shape{count, 1});
  for (size_t s = 0; s < hyps.size(); ++s) {
    const int64_t length = refs[s].second - refs[s].first;
    require(!op.normalized || length > 0, ErrorCode::kRunFailure, "sequence ", s, " of refs is empty");
    const int64_t distance = edit_distance(
        a.context(),
        std::span(x).subspan(static_cast<size_t>(hyps[s].first), static_cast<size_t>(hyps[s].second - hyps[s].first)),
        std::span(y).subspan(static_cast<size_t>(refs[s].first), static_cast<size_t>(length)));
    a.out(1).data<float>()[s] = static_cast<float>(distance) / (op.normalized ? static_cast<float>(length) : 1.0F);
  }
  if (a.wants(0)) *a.out(0).data<int64_t>() = count;
}

inline constexpr const OpSchema* edit_distance_op = &kOpSchema<EditDistance>;

}  // namespace coracle::internal
