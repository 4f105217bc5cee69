// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "base/buffer.h"
#include "base/convert.h"
#include "ops/detection/boxes.h"

namespace coracle::internal {

/// Regions [R, 4] sorted by size onto the levels of a feature pyramid; restore_index [R, 1] has the place of each
/// region in all levels one after the other. Regions behind those that rois_num counts are left out.
struct DistributeFpnProposals {
  static constexpr const char* kName = "distribute_fpn_proposals";
  static constexpr const char* kLegacy[] = {"distribute_fpn_proposals"};
  static constexpr LodRule kLod = LodRule::kOwn;
  static constexpr Port kInputs[] = {in("fpn_rois", "FpnRois"), optional_in("rois_num", "RoisNum")};
  static constexpr Port kOutputs[] = {list_out("multi_fpn_rois", "MultiFpnRois"),
                                      list_out("multi_level_rois_num", "MultiLevelRoIsNum"),
                                      out("restore_index", "RestoreIndex")};
  int min_level = 2;
  int max_level = 5;
  int refer_level = 4;
  int refer_scale = 224;
  bool pixel_offset = true;
  void attributes(AttributeVisitor& visit) {
    visit("min_level", min_level);
    visit("max_level", max_level);
    visit("refer_level", refer_level);
    visit("refer_scale", refer_scale);
    visit("pixel_offset", pixel_offset);
  }
  friend bool operator==(const DistributeFpnProposals&, const DistributeFpnProposals&) = default;
};

inline void infer(const DistributeFpnProposals& op, InferArgs& a) {
  const Shape& x = a.shape(0);
  require(is_float(a.dtype(0)), "regions are ", a.dtype(0), ", expected a real type");
  require(!x.rank_known() || (x.rank() == 2 && (x[1] < 0 || x[1] == 4)), "regions are ", x, ", expected [R, 4]");
  require(op.max_level >= op.min_level && a.out_count(0) == int64_t{op.max_level} - op.min_level + 1, "levels are ",
          op.min_level, " to ", op.max_level, ", but there are ", a.out_count(0), " results");
  require(op.refer_scale > 0, "refer_scale is ", op.refer_scale);
  // Where there is no rois_num, files may have fewer counts than levels.
  require(a.out_count(1) <= a.out_count(0), "there are ", a.out_count(1), " counts for ", a.out_count(0), " levels");
  const int64_t images = a.has(1) && a.shape(1).known() ? a.shape(1).count() : Shape::kUnknown;
  for (int i = 0; i < a.out_count(0); ++i) {
    a.set(0, a.dtype(0), Shape{Shape::kUnknown, 4}, i);
    a.set(1, DType::kInt32, Shape{images}, i);
  }
  a.set(2, DType::kInt32, Shape{x.rank_known() && !a.has(1) ? x[0] : Shape::kUnknown, 1});
}

/// floor(log2(x) + level), by the exponent unless x is about to be the next power of two.
inline double level_of(double x, int level) {
  constexpr double kAlmost = 1 - 1e-9;
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  if (fraction >= 0.5 && fraction < kAlmost) return exponent - 1 + level;
  return std::floor(std::log2(x) + level);
}

inline void reference(const DistributeFpnProposals& op, ReferenceArgs& a) {
  const std::vector<int64_t> offsets = offsets_of_first_rows(a.has(1) ? &a.in(1) : nullptr, a.in(0));
  const Buffer<double> boxes = a.doubles(0);
  const auto levels = static_cast<size_t>(a.out_count(0));
  const int64_t count = offsets.back();
  std::vector<std::vector<int64_t>> members(levels);
  std::vector<std::vector<int64_t>> ends(levels, {0});
  for (size_t n = 0; n + 1 < offsets.size(); ++n) {
    for (int64_t r = offsets[n]; r < offsets[n + 1]; ++r) {
      const double scale = std::sqrt(box_area(boxes.data() + r * 4, !op.pixel_offset));
      const double level = level_of(scale / op.refer_scale + 1e-6, op.refer_level);
      const double nearest = std::clamp(level, double(op.min_level), double(op.max_level));
      members[static_cast<size_t>(position(nearest - op.min_level))].push_back(r);
    }
    for (size_t i = 0; i < levels; ++i) ends[i].push_back(static_cast<int64_t>(members[i].size()));
  }
  if (a.out(2).empty_handle()) a.out(2) = a.make(DType::kInt32, Shape{count, 1});
  int32_t place = 0;
  for (size_t i = 0; i < levels; ++i) {
    Buffer<double> rows(a.context());
    for (int64_t r : members[i]) {
      a.out(2).data<int32_t>()[r] = place++;
      rows.insert(rows.end(), boxes.begin() + r * 4, boxes.begin() + r * 4 + 4);
    }
    const int port = static_cast<int>(i);
    a.out(0, port) = a.make(a.in(0).dtype(), Shape{static_cast<int64_t>(members[i].size()), 4});
    a.out(0, port).assign(a.context(), std::span<const double>(rows));
    a.out(0, port).set_lod(one_level(ends[i]));
    if (port >= a.out_count(1)) continue;
    std::vector<int64_t> counts;
    for (size_t n = 1; n < ends[i].size(); ++n) counts.push_back(ends[i][n] - ends[i][n - 1]);
    a.out(1, port) = a.make(DType::kInt32, Shape{static_cast<int64_t>(counts.size())});
    a.out(1, port).assign(a.context(), std::span<const int64_t>(counts));
  }
}

inline constexpr const OpSchema* distribute_fpn_proposals_op = &kOpSchema<DistributeFpnProposals>;

}  // namespace coracle::internal
