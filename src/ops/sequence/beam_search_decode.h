// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "base/buffer.h"
#include "ops/control/arrays.h"
#include "ops/detection/boxes.h"

namespace coracle::internal {

/// The sentences that the steps of a beam search (arrays of what beam_search selected) stand for, the best of each
/// source first. Two levels of offsets: sentences of each source, words of each sentence.
struct BeamSearchDecode {
  static constexpr const char* kName = "beam_search_decode";
  static constexpr const char* kLegacy[] = {"beam_search_decode"};
  static constexpr LodRule kLod = LodRule::kOwn;
  static constexpr Port kInputs[] = {in("ids", "Ids"), in("scores", "Scores")};
  static constexpr Port kOutputs[] = {out("sentence_ids", "SentenceIds"), out("sentence_scores", "SentenceScores")};
  static constexpr size_t kArrays = 2;
  int beam_size = 1;
  int end_id = 0;
  void attributes(AttributeVisitor& visit) {
    visit("beam_size", beam_size);
    visit("end_id", end_id);
  }
  friend bool operator==(const BeamSearchDecode&, const BeamSearchDecode&) = default;
};

inline void infer(const BeamSearchDecode&, InferArgs& a) {
  require_array(a, 0);
  require_array(a, 1);
  a.set(0, DType::kInt64, Shape{Shape::kUnknown});
  a.set(1, a.dtype(1), Shape{Shape::kUnknown});
}

/// A sentence from its last word to its first, and the candidate at which the step looked at stands.
struct BeamSentence {
  std::vector<int64_t> words;
  Buffer<double> scores;
  size_t candidate;
};

/// The elements of one step of a beam search.
struct BeamStep {
  std::vector<int64_t> ids;
  Buffer<double> scores;
  std::vector<size_t> sources;  ///< beams of each source
  std::vector<size_t> beams;    ///< candidates of each beam

  BeamStep(const RunContext& context, const Tensor& step_ids, const Tensor& step_scores)
      : ids(step_ids.integers(context)), scores(doubles_of(context, step_scores)) {
    const Lod& lod = step_ids.lod();
    const bool fits = lod.size() == 2 && !lod[0].empty() && !lod[1].empty() && lod[0].back() < lod[1].size() &&
                      lod[1].back() <= ids.size() && scores.size() == ids.size() &&
                      std::is_sorted(lod[0].begin(), lod[0].end()) && std::is_sorted(lod[1].begin(), lod[1].end());
    require(fits, ErrorCode::kRunFailure, "a step of the beam search is ", step_ids.shape(),
            ", its two levels of offsets do not fit");
    sources = lod[0];
    beams = lod[1];
  }

  /// The beam of a candidate.
  size_t beam_of(size_t candidate) const {
    return static_cast<size_t>(std::upper_bound(beams.begin(), beams.end(), candidate) - beams.begin()) - 1;
  }
};

/// Goes one step back with the sentences of a source; those that end in this step begin.
inline void trace_step(const BeamSearchDecode& op, const BeamStep& step, size_t source,
                       std::vector<BeamSentence>& sentences) {
  require(source + 1 < step.sources.size(), ErrorCode::kRunFailure, "a step has ", step.sources.size() - 1,
          " sources, expected more");
  if (sentences.empty()) {
    const size_t first = step.beams[step.sources[source]];
    const size_t last = step.beams[step.sources[source + 1]];
    for (size_t c = first; c < last; ++c) {
      Buffer<double> score(1, step.scores[c], step.scores.get_allocator());
      sentences.push_back({{step.ids[c]}, std::move(score), step.beam_of(c)});
    }
    return;
  }
  for (BeamSentence& s : sentences) {
    require(s.candidate < step.ids.size() && s.candidate < step.beams.back(), ErrorCode::kRunFailure,
            "a beam continues candidate ", s.candidate, ", but the step before has ", step.ids.size());
    const int64_t id = step.ids[s.candidate];
    if (id != op.end_id || s.words.empty()) {
      s.words.push_back(id);
      s.scores.push_back(step.scores[s.candidate]);
    }
    s.candidate = step.beam_of(s.candidate);
  }
}

inline void reference(const BeamSearchDecode& op, ReferenceArgs& a) {
  const std::vector<Tensor>& ids = a.in(0).elements();
  const std::vector<Tensor>& scores = a.in(1).elements();
  require(!ids.empty() && ids.size() == scores.size(), ErrorCode::kRunFailure, "there are ids of ", ids.size(),
          " steps and scores of ", scores.size());
  std::vector<BeamStep> steps;
  for (size_t i = 0; i < ids.size(); ++i) {
    steps.emplace_back(a.context(), written(ids[i], i), written(scores[i], i));
  }
  std::vector<int64_t> words;
  Buffer<double> word_scores(a.context());
  Lod lod{{0}, {0}};
  for (size_t source = 0; source + 1 < steps[0].sources.size(); ++source) {
    std::vector<BeamSentence> sentences;
    for (size_t i = steps.size(); i-- > 0;) trace_step(op, steps[i], source, sentences);
    std::stable_sort(sentences.begin(), sentences.end(),
                     [](const BeamSentence& x, const BeamSentence& y) { return x.scores.front() > y.scores.front(); });
    for (const BeamSentence& s : sentences) {
      words.insert(words.end(), s.words.rbegin(), s.words.rend());
      word_scores.insert(word_scores.end(), s.scores.rbegin(), s.scores.rend());
      lod[1].push_back(words.size());
    }
    lod[0].push_back(lod[1].size() - 1);
  }
  a.out(0) = Tensor::ints(a.context(), words);
  a.out(0).set_lod(lod);
  a.out(1) = a.make(scores[0].dtype(), Shape{static_cast<int64_t>(word_scores.size())});
  a.out(1).assign(a.context(), std::span<const double>(word_scores));
  a.out(1).set_lod(lod);
}

inline constexpr const OpSchema* beam_search_decode_op = &kOpSchema<BeamSearchDecode>;

}  // namespace coracle::internal
