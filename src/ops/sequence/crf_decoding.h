// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "base/buffer.h"
#include "base/long_loop.h"
#include "ops/sequence/sequences.h"

namespace coracle::internal {

/// The best path of tags for each sequence of emission, [rows, tags] or, with lengths, [batch, time, tags]. Rows of
/// transition [tags + 2, tags]: start, stop, then from each tag to each. With labels: 1 where the path
/// agrees within the length, else 0.
struct CrfDecoding {
  static constexpr const char* kName = "crf_decoding";
  static constexpr const char* kLegacy[] = {"crf_decoding"};
  static constexpr Port kInputs[] = {in("emission", "Emission"), weight_in("transition", "Transition"),
                                     optional_in("label", "Label"), optional_in("length", "Length")};
  static constexpr Port kOutputs[] = {out("viterbi_path", "ViterbiPath")};
  static constexpr LodRule kLod = LodRule::kFirst;
  friend bool operator==(const CrfDecoding&, const CrfDecoding&) = default;
};

inline void infer(const CrfDecoding&, InferArgs& a) {
  const Shape& x = a.shape(0);
  const Shape& transition = a.shape(1);
  require(is_float(a.dtype(0)) && a.dtype(0) == a.dtype(1), "emission is ", a.dtype(0), " and transition ", a.dtype(1));
  const int rank = a.has(3) ? 3 : 2;
  Shape y = rank == 3 ? Shape::filled(2, Shape::kUnknown) : Shape{Shape::kUnknown, 1};
  if (x.rank_known()) {
    require(x.rank() == rank, "emission is ", x, ", expected ", rank, " dimensions");
    require(x.back() != 0, "emission is ", x, ", there are no tags");
    y[0] = x[0];
    if (rank == 3) y[1] = x[1];
    if (transition.known() && x.back() > 0) {
      require(transition == Shape({x.back() + 2, x.back()}), "transition is ", transition, ", but emission is ", x);
    }
    if (a.has(3)) {
      const Shape& lengths = a.shape(3);
      require(!lengths.known() || x[0] < 0 || lengths.count() == x[0], "lengths are ", lengths, ", but emission is ",
              x);
    }
    if (a.has(2)) {
      const Shape& labels = a.shape(2);
      require(!labels.known() || !y.known() || labels.count() == y.count(), "labels are ", labels, ", but emission is ",
              x);
    }
  }
  a.set(0, DType::kInt64, y);
}

/// Writes the best path of one sequence of `length` rows.
template <class T>
void decode_crf(const RunContext& context, const T* emission, const T* transition, int64_t tags, int64_t length,
                int64_t* path) {
  if (length == 0) return;
  Buffer<double> best(static_cast<size_t>(tags), context);
  Buffer<double> next(best.size(), context);
  Buffer<int64_t> from(static_cast<size_t>(length * tags), context);
  const T* between = transition + 2 * tags;
  for (int64_t j = 0; j < tags; ++j) {
    best[static_cast<size_t>(j)] = static_cast<double>(transition[j]) + static_cast<double>(emission[j]);
  }
  for (int64_t t = 1; t < length; ++t) {
    for (int64_t j = 0; j < tags; ++j) {
      int64_t before = 0;
      double highest = best[0] + static_cast<double>(between[j]);
      for (int64_t i = 1; i < tags; ++i) {
        const double score = best[static_cast<size_t>(i)] + static_cast<double>(between[i * tags + j]);
        if (score > highest) {
          highest = score;
          before = i;
        }
      }
      next[static_cast<size_t>(j)] = highest + static_cast<double>(emission[t * tags + j]);
      from[static_cast<size_t>(t * tags + j)] = before;
    }
    best.swap(next);
  }
  for (int64_t j = 0; j < tags; ++j) best[static_cast<size_t>(j)] += static_cast<double>(transition[tags + j]);
  int64_t tag = std::max_element(best.begin(), best.end()) - best.begin();
  for (int64_t t = length - 1; t >= 0; --t) {
    path[t] = tag;
    tag = from[static_cast<size_t>(t * tags + tag)];
  }
}

/// Replaces `length` tags of the path from `first` on by whether they are the labels there.
inline void mark_agreement(const RunContext& context, const Tensor& labels, int64_t first, int64_t length,
                           int64_t* path) {
  LoopCheck check(context);
  for (int64_t i = first; i < first + length; ++i) {
    check.step();
    path[i] = path[i] == labels.integer(i) ? 1 : 0;
  }
}

inline void reference(const CrfDecoding&, ReferenceArgs& a) {
  const int64_t tags = a.shape(0).back();
  int64_t* path = a.out(0).data<int64_t>();
  std::fill_n(path, a.out(0).count(), int64_t{0});
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    const T* emission = a.in(0).data<T>();
    const T* transition = a.in(1).data<T>();
    if (a.has(3)) {
      const int64_t steps = a.shape(0)[1];
      int64_t row = 0;
      for (int64_t length : a.in(3).integers(a.context())) {
        require(length >= 0 && length <= steps, ErrorCode::kRunFailure, "a length is ", length, ", there are ", steps,
                " steps");
        decode_crf(a.context(), emission + row * tags, transition, tags, length, path + row);
        if (a.has(2)) mark_agreement(a.context(), a.in(2), row, length, path);
        row += steps;
      }
      return;
    }
    const std::vector<int64_t> offsets = offsets_of(a.in(0));
    for (size_t s = 0; s + 1 < offsets.size(); ++s) {
      const int64_t length = offsets[s + 1] - offsets[s];
      decode_crf(a.context(), emission + offsets[s] * tags, transition, tags, length, path + offsets[s]);
      if (a.has(2)) mark_agreement(a.context(), a.in(2), offsets[s], length, path);
    }
  });
}

inline constexpr const OpSchema* crf_decoding_op = &kOpSchema<CrfDecoding>;

}  // namespace coracle::internal
