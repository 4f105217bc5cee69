// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "base/buffer.h"
#include "ops/sequence/sequences.h"

namespace coracle::internal {

/// One step of beam search: of the candidates (ids and scores [N, K], K of each beam) of a source the beam_size best
/// ones. Finished beams (pre_ids is end_id) stay as they are; a source all of whose beams were finished ends. The
/// offsets of scores tell the beams of each source; those of the results also the candidates of each beam.
struct BeamSearch {
  static constexpr const char* kName = "beam_search";
  static constexpr const char* kLegacy[] = {"beam_search"};
  static constexpr LodRule kLod = LodRule::kOwn;
  static constexpr Port kInputs[] = {in("pre_ids", "pre_ids"), in("pre_scores", "pre_scores"),
                                     optional_in("ids", "ids"), in("scores", "scores")};
  static constexpr Port kOutputs[] = {out("selected_ids", "selected_ids"), out("selected_scores", "selected_scores"),
                                      optional_out("parent_idx", "parent_idx")};
  int level = 0;  ///< level of the offsets that groups beams by source
  int beam_size = 1;
  int end_id = 0;
  bool is_accumulated = true;  ///< scores are those of whole beams; else probabilities of the step
  void attributes(AttributeVisitor& visit) {
    visit("level", level);
    visit("beam_size", beam_size);
    visit("end_id", end_id);
    visit("is_accumulated", is_accumulated);
  }
  friend bool operator==(const BeamSearch&, const BeamSearch&) = default;
};

inline void infer(const BeamSearch& op, InferArgs& a) {
  require(is_integer(a.dtype(0)) && (!a.has(2) || is_integer(a.dtype(2))), "ids are ", a.dtype(0),
          ", expected integers");
  require(is_float(a.dtype(1)) && is_float(a.dtype(3)), "scores are ", a.dtype(3), ", expected a real type");
  require(op.beam_size > 0 && op.level >= 0, "beam_size is ", op.beam_size, " and level ", op.level);
  a.set(0, DType::kInt64, Shape{Shape::kUnknown, 1});
  a.set(1, DType::kFloat32, Shape{Shape::kUnknown, 1});
  a.set(2, DType::kInt32, Shape{Shape::kUnknown});
}

/// Offsets of `level` counted in rows, whatever finer levels there are.
inline std::vector<int64_t> offsets_in_rows(const Tensor& x, int level) {
  const Lod& lod = x.lod();
  require(level < static_cast<int>(lod.size()), ErrorCode::kRunFailure, "there are ", lod.size(),
          " levels of offsets, level is ", level);
  std::vector<int64_t> offsets(lod[static_cast<size_t>(level)].begin(), lod[static_cast<size_t>(level)].end());
  for (size_t finer = static_cast<size_t>(level) + 1; finer < lod.size(); ++finer) {
    for (int64_t& at : offsets) {
      require(at >= 0 && at < static_cast<int64_t>(lod[finer].size()), ErrorCode::kRunFailure,
              "levels of offsets do not fit each other");
      at = static_cast<int64_t>(lod[finer][static_cast<size_t>(at)]);
    }
  }
  require(!offsets.empty() && offsets.back() <= x.shape()[0] && std::is_sorted(offsets.begin(), offsets.end()),
          ErrorCode::kRunFailure, "offsets do not fit ", x.shape());
  return offsets;
}

struct BeamCandidate {
  int64_t beam;
  int64_t id;
  float score;
};

/// Adds a candidate to the best `most`, which stand in order. Of equal scores later beams come first, and of one beam
/// the first candidates; only the last place goes to a later equal one.
inline void add_candidate(std::vector<BeamCandidate>& best, const BeamCandidate& candidate, size_t most) {
  const auto better = [](const BeamCandidate& x, const BeamCandidate& y) {
    return x.score > y.score || (x.score == y.score && x.beam > y.beam);
  };
  if (best.size() == most) {
    if (better(best.back(), candidate)) return;
    best.pop_back();
  }
  best.insert(std::upper_bound(best.begin(), best.end(), candidate, better), candidate);
}

inline void reference(const BeamSearch& op, ReferenceArgs& a) {
  const Tensor& scores = a.in(3);
  const int64_t beams = scores.shape().rank() > 0 ? scores.shape()[0] : 0;
  const int64_t width = scores.shape().count(1, scores.shape().rank());
  require(a.in(0).count() == beams && a.in(1).count() == beams && (!a.has(2) || a.in(2).count() == scores.count()),
          ErrorCode::kRunFailure, "scores are ", scores.shape(), ", but pre_ids ", a.shape(0), " and pre_scores ",
          a.shape(1));
  const std::vector<int64_t> sources = offsets_in_rows(scores, op.level);
  const Buffer<int64_t> pre_ids = a.integers(0);
  const Buffer<double> pre_scores = a.doubles(1);
  const std::vector<int64_t> ids = a.has(2) ? a.in(2).integers(a.context()) : std::vector<int64_t>{};
  const Buffer<double> all_scores = doubles_of(a.context(), scores);
  std::vector<std::vector<BeamCandidate>> of_beam(static_cast<size_t>(sources.back()));
  for (size_t s = 0; s + 1 < sources.size(); ++s) {
    std::vector<BeamCandidate> best;
    const auto most = static_cast<size_t>(op.beam_size);
    for (int64_t b = sources[s]; b < sources[s + 1]; ++b) {
      const auto beam = static_cast<size_t>(b);
      const auto before = static_cast<float>(pre_scores[beam]);
      if (pre_ids[beam] == op.end_id) {
        add_candidate(best, {b, op.end_id, before}, most);
        continue;
      }
      for (int64_t k = 0; k < width; ++k) {
        const auto at = static_cast<size_t>(b * width + k);
        const auto score = static_cast<float>(all_scores[at]);
        add_candidate(best, {b, ids.empty() ? k : ids[at], op.is_accumulated ? score : before + std::log(score)}, most);
      }
    }
    const bool ended = std::all_of(best.begin(), best.end(), [&](const BeamCandidate& c) {
      return c.id == op.end_id && pre_ids[static_cast<size_t>(c.beam)] == op.end_id;
    });
    if (ended) continue;
    for (const BeamCandidate& c : best) of_beam[static_cast<size_t>(c.beam)].push_back(c);
  }
  std::vector<int64_t> selected;
  Buffer<double> selected_scores(a.context());
  std::vector<int64_t> parents;
  std::vector<int64_t> ends{0};
  for (const std::vector<BeamCandidate>& chosen : of_beam) {
    for (const BeamCandidate& c : chosen) {
      selected.push_back(c.id);
      selected_scores.push_back(c.score);
      parents.push_back(c.beam);
    }
    ends.push_back(static_cast<int64_t>(selected.size()));
  }
  const auto count = static_cast<int64_t>(selected.size());
  const Lod lod{one_level(sources)[0], one_level(ends)[0]};
  a.out(0) = Tensor::of<int64_t>(a.context(), Shape{count, 1}, selected);
  a.out(0).set_lod(lod);
  a.out(1) = a.make(DType::kFloat32, Shape{count, 1});
  a.out(1).assign(a.context(), std::span<const double>(selected_scores));
  a.out(1).set_lod(lod);
  if (!a.wants(2)) return;
  a.out(2) = a.make(DType::kInt32, Shape{count});
  a.out(2).assign(a.context(), std::span<const int64_t>(parents));
}

inline constexpr const OpSchema* beam_search_op = &kOpSchema<BeamSearch>;

}  // namespace coracle::internal
