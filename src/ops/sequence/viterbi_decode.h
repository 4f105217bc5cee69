// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "base/buffer.h"
#include "base/long_loop.h"
#include "ops/common/joining.h"

namespace coracle::internal {

/// The path of tags with the highest sum of potentials [batch, time, tags] and transitions [from, to], for each
/// sequence of its length; places behind the end are 0. With include_bos_eos_tag the last tag is the start and the one
/// before it the stop.
struct ViterbiDecode {
  static constexpr const char* kName = "viterbi_decode";
  static constexpr const char* kLegacy[] = {"viterbi_decode"};
  static constexpr Port kInputs[] = {in("potentials", "Input"), in("transition_params", "Transition"),
                                     in("lengths", "Length")};
  static constexpr Port kOutputs[] = {out("scores", "Scores"), out("path", "Path")};
  bool include_bos_eos_tag = true;
  void attributes(AttributeVisitor& visit) { visit("include_bos_eos_tag", include_bos_eos_tag); }
  friend bool operator==(const ViterbiDecode&, const ViterbiDecode&) = default;
};

inline void infer(const ViterbiDecode& op, InferArgs& a) {
  const Shape x = met(a.shape(0), Shape::filled(3, Shape::kUnknown));
  const Shape transition = met(a.shape(1), Shape{x[2], x[2]});
  const Shape lengths = met(a.shape(2), Shape{x[0]});
  require(!op.include_bos_eos_tag || transition[0] < 0 || transition[0] >= 2, "there are ", transition[0],
          " tags, expected a start and a stop among them");
  require(transition[0] != 0, "there are no tags");
  require(a.dtype(0) == a.dtype(1) && is_float(a.dtype(0)), "potentials are ", a.dtype(0), " and transitions ",
          a.dtype(1));
  a.set(0, a.dtype(0), lengths);
  a.set(1, DType::kInt64, Shape{lengths[0], Shape::kUnknown});
}

inline void reference(const ViterbiDecode& op, ReferenceArgs& a) {
  const int64_t steps = a.shape(0)[1];
  const int64_t tags = a.shape(0)[2];
  const Buffer<int64_t> lengths = a.integers(2);
  int64_t longest = 0;
  for (int64_t length : lengths) {
    require(length >= 0 && length <= steps, ErrorCode::kRunFailure, "length is ", length, ", the potentials have ",
            steps, " steps");
    longest = std::max(longest, length);
  }
  a.out(1) = a.make(DType::kInt64, Shape{a.shape(0)[0], longest});
  int64_t* path = a.out(1).data<int64_t>();
  std::fill(path, path + a.out(1).count(), 0);
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    const T* transition = a.in(1).data<T>();
    Buffer<double> alpha(static_cast<size_t>(tags), a.context());
    Buffer<double> next(alpha.size(), a.context());
    LoopCheck check(a.context());
    Buffer<int64_t> from(static_cast<size_t>(longest * tags), a.context());
    for (size_t b = 0; b < lengths.size(); ++b, path += longest) {
      const int64_t length = lengths[b];
      const T* x = a.in(0).data<T>() + static_cast<int64_t>(b) * steps * tags;
      const auto add_stop = [&] {
        for (int64_t j = 0; j < tags; ++j) {
          alpha[static_cast<size_t>(j)] += static_cast<double>(transition[(tags - 2) * tags + j]);
        }
      };
      for (int64_t j = 0; j < tags; ++j) {
        const double start = op.include_bos_eos_tag ? static_cast<double>(transition[(tags - 1) * tags + j]) : 0.0;
        alpha[static_cast<size_t>(j)] = (steps > 0 ? static_cast<double>(x[j]) : 0.0) + start;
      }
      for (int64_t t = 1; t < length; ++t) {
        check.step(tags * tags);
        for (int64_t j = 0; j < tags; ++j) {
          int64_t best = 0;
          double highest = alpha[0] + static_cast<double>(transition[j]);
          for (int64_t i = 1; i < tags; ++i) {
            const double score = alpha[static_cast<size_t>(i)] + static_cast<double>(transition[i * tags + j]);
            if (score > highest) {
              highest = score;
              best = i;
            }
          }
          next[static_cast<size_t>(j)] = highest + static_cast<double>(x[t * tags + j]);
          from[static_cast<size_t>(t * tags + j)] = best;
        }
        alpha.swap(next);
      }
      if (op.include_bos_eos_tag && length > 0) add_stop();
      int64_t tag = std::max_element(alpha.begin(), alpha.end()) - alpha.begin();
      a.out(0).data<T>()[b] = static_cast<T>(alpha[static_cast<size_t>(tag)]);
      for (int64_t t = length - 1; t >= 0; --t) {
        path[t] = tag;
        if (t > 0) tag = from[static_cast<size_t>(t * tags + tag)];
      }
    }
  });
}

inline constexpr const OpSchema* viterbi_decode_op = &kOpSchema<ViterbiDecode>;

}  // namespace coracle::internal
