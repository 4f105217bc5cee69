// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "base/buffer.h"
#include "ops/detection/boxes.h"

namespace coracle::internal {

/// The regions [Ri, 4] of all levels of a feature pyramid with the highest scores [Ri, 1], grouped by image.
struct CollectFpnProposals {
  static constexpr const char* kName = "collect_fpn_proposals";
  static constexpr const char* kLegacy[] = {"collect_fpn_proposals"};
  static constexpr LodRule kLod = LodRule::kOwn;
  static constexpr Port kInputs[] = {list_in("multi_level_rois", "MultiLevelRois"),
                                     list_in("multi_level_scores", "MultiLevelScores"),
                                     list_in("multi_level_rois_num", "MultiLevelRoIsNum")};
  static constexpr Port kOutputs[] = {out("fpn_rois", "FpnRois"), optional_out("rois_num", "RoisNum")};
  int post_nms_topn = 0;
  void attributes(AttributeVisitor& visit) { visit("post_nms_topn", post_nms_topn, "post_nms_topN"); }
  friend bool operator==(const CollectFpnProposals&, const CollectFpnProposals&) = default;
};

inline void infer(const CollectFpnProposals& op, InferArgs& a) {
  require(a.count(0) > 0 && a.count(0) == a.count(1), "there are regions of ", a.count(0), " levels and scores of ",
          a.count(1));
  require(a.count(2) == 0 || a.count(2) == a.count(0), "there are counts of ", a.count(2), " levels, expected ",
          a.count(0));
  require(op.post_nms_topn >= 0, "post_nms_topn is ", op.post_nms_topn);
  for (int i = 0; i < a.count(0); ++i) {
    const Shape& x = a.shape(0, i);
    require(is_float(a.dtype(0, i)) && a.dtype(0, i) == a.dtype(0), "regions are ", a.dtype(0, i));
    require(!x.rank_known() || (x.rank() == 2 && (x[1] < 0 || x[1] == 4)), "regions are ", x, ", expected [R, 4]");
    require(!x.known() || !a.shape(1, i).known() || a.shape(1, i).count() == x[0], "regions are ", x,
            ", but their scores ", a.shape(1, i));
  }
  const int64_t images = a.has(2) && a.shape(2).known() ? a.shape(2).count() : Shape::kUnknown;
  a.set(0, a.dtype(0), Shape{Shape::kUnknown, 4});
  a.set(1, DType::kInt32, Shape{images});
}

inline void reference(const CollectFpnProposals& op, ReferenceArgs& a) {
  struct Region {
    double score;
    int64_t image;
    const double* box;
  };
  std::vector<Buffer<double>> boxes;  // of each level
  std::vector<Region> all;
  size_t images = 0;
  for (int level = 0; level < a.count(0); ++level) {
    boxes.push_back(a.doubles(0, level));
    const Buffer<double> scores = a.doubles(1, level);
    const std::vector<int64_t> offsets = image_offsets(a.has(2) ? &a.in(2, level) : nullptr, a.in(0, level));
    require(level == 0 || offsets.size() == images + 1, ErrorCode::kRunFailure, "level ", level, " has regions of ",
            offsets.size() - 1, " images, expected ", images);
    images = offsets.size() - 1;
    for (size_t n = 0; n < images; ++n) {
      for (int64_t r = offsets[n]; r < offsets[n + 1]; ++r) {
        all.push_back({scores[static_cast<size_t>(r)], static_cast<int64_t>(n), boxes.back().data() + r * 4});
      }
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Region& x, const Region& y) { return x.score > y.score; });
  all.resize(std::min(all.size(), static_cast<size_t>(op.post_nms_topn)));
  std::stable_sort(all.begin(), all.end(), [](const Region& x, const Region& y) { return x.image < y.image; });
  Buffer<double> rows(a.context());
  std::vector<int64_t> counts(images, 0);
  for (const Region& r : all) {
    rows.insert(rows.end(), r.box, r.box + 4);
    ++counts[static_cast<size_t>(r.image)];
  }
  std::vector<int64_t> offsets{0};
  for (int64_t count : counts) offsets.push_back(offsets.back() + count);
  a.out(0) = a.make(a.in(0).dtype(), Shape{static_cast<int64_t>(all.size()), 4});
  a.out(0).assign(a.context(), std::span<const double>(rows));
  a.out(0).set_lod(one_level(offsets));
  if (!a.wants(1)) return;
  a.out(1) = a.make(DType::kInt32, Shape{static_cast<int64_t>(images)});
  a.out(1).assign(a.context(), std::span<const int64_t>(counts));
}

inline constexpr const OpSchema* collect_fpn_proposals_op = &kOpSchema<CollectFpnProposals>;

}  // namespace coracle::internal
