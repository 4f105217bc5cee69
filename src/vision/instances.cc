// SPDX-License-Identifier: Apache-2.0
#include "vision/instances.h"

#include <algorithm>
#include <cmath>

namespace coracle::vision {
namespace {

bool is_class(float id) { return id >= 0 && id < 1e6F; }

[[noreturn]] void unexpected_instances(const Description& d, const std::string& found) {
  throw Error(Problem::kDescription, (d.file.empty() ? std::string() : d.file + ": ") +
                                         "the outputs for instance segmentation are boxes [n, 6], how many of them and "
                                         "masks [n, height, width], or how many, classes [n], scores [n] and masks; " +
                                         found);
}

}  // namespace

void check_masks(const MaskPlanes& masks, const Prepared& p, const Description& d) {
  const auto [shorter, longer] = std::minmax({p.resized_width, p.resized_height});
  const double allowed = 1 + static_cast<double>(longer) / std::max(shorter, 1);
  const auto near = [&](int have, int want, double scale) {
    return std::abs(have - want) * std::min(scale, 1.0) <= allowed;
  };
  if (near(masks.width, p.picture_width, p.scale_x) && near(masks.height, p.picture_height, p.scale_y)) return;
  unexpected_instances(d, "the masks are of " + std::to_string(masks.width) + " x " + std::to_string(masks.height) +
                              " pixels, the picture of " + std::to_string(p.picture_width) + " x " +
                              std::to_string(p.picture_height));
}

InstanceForm instance_form(const std::vector<std::size_t>& ranks) {
  const auto number = [&](std::size_t at) { return ranks[at] <= 1; };
  if (ranks.size() == 3 && ranks[0] == 2 && number(1) && ranks[2] == 3) return InstanceForm::kBoxes;
  if (ranks.size() == 4 && number(0) && ranks[1] == 1 && ranks[2] == 1 && ranks[3] == 3) return InstanceForm::kMasks;
  return InstanceForm::kNone;
}

std::vector<Object> instances(const float* rows, std::size_t count, const MaskPlanes& masks, int width, int height,
                              float threshold, const Description& d) {
  std::vector<Object> found;
  for (std::size_t i = 0; i < count; ++i, rows += 6) {
    if (!is_class(rows[0]) || !(rows[1] > threshold)) continue;
    Object o{.id = static_cast<int>(rows[0]),
             .name = name_of(d, static_cast<std::size_t>(rows[0])),
             .score = rows[1],
             .left = std::max(0.0F, rows[2]),
             .top = std::max(0.0F, rows[3]),
             .right = std::min(static_cast<float>(width), rows[4]),
             .bottom = std::min(static_cast<float>(height), rows[5])};
    if (!(o.right > o.left && o.bottom > o.top)) continue;
    const auto whole = [](float side) { return static_cast<int>(std::nearbyint(side)); };
    o.mask = mask_of(masks, i, {whole(o.left), whole(o.top), whole(o.right), whole(o.bottom)}, width, height);
    found.push_back(std::move(o));
  }
  return found;
}

std::vector<Object> instances(const Output& ids, const Output& scores, const MaskPlanes& masks, int width, int height,
                              float threshold, const Description& d) {
  std::vector<Object> found;
  for (std::size_t i = 0; i < ids.size; ++i) {
    if (!is_class(ids.data[i]) || !(scores.data[i] >= threshold)) continue;
    Mask mask = mask_of(masks, i, {0, 0, width, height}, width, height);
    const Part box = bounds(mask);
    found.push_back({.id = static_cast<int>(ids.data[i]),
                     .name = name_of(d, static_cast<std::size_t>(ids.data[i])),
                     .score = scores.data[i],
                     .left = static_cast<float>(box.left),
                     .top = static_cast<float>(box.top),
                     .right = static_cast<float>(box.right),
                     .bottom = static_cast<float>(box.bottom),
                     .mask = std::move(mask)});
  }
  return found;
}

std::vector<Object> instances_of(const PictureModel& model, const Prepared& prepared, const Description& d) {
  const std::size_t outputs = model.outputs();
  std::vector<std::size_t> ranks;
  for (std::size_t i = 0; i < outputs; ++i) ranks.push_back(model.output_rank(i));
  const InstanceForm form = instance_form(ranks);
  if (form == InstanceForm::kNone) {
    std::string given;
    for (const std::size_t rank : ranks) given.append(given.empty() ? "" : ", ").append(std::to_string(rank));
    unexpected_instances(d, "the model gives outputs of the ranks " + given);
  }
  const MaskPlanes masks = model.planes(outputs - 1);
  const auto enough = [&](std::size_t count) {
    if (count > masks.count)
      unexpected_instances(d, "the model gives " + std::to_string(masks.count) + " masks for " + std::to_string(count));
    if (count > 0 && masks.count > 0) check_masks(masks, prepared, d);
  };
  const int width = prepared.picture_width;
  const int height = prepared.picture_height;
  const auto any = [&](const Output& scores, std::size_t first, std::size_t step) {
    for (std::size_t i = first; i < scores.size; i += step) {
      if (scores.data[i] >= d.threshold) return true;
    }
    return false;
  };
  if (form == InstanceForm::kMasks) {
    const Output ids = model.output(1);
    const Output scores = model.output(2);
    if (ids.size != scores.size)
      unexpected_instances(
          d, "the model gives " + std::to_string(ids.size) + " classes and " + std::to_string(scores.size) + " scores");
    if (!any(scores, 0, 1)) return {};
    enough(ids.size);
    return instances(ids, scores, masks, width, height, d.threshold, d);
  }
  const Output rows = model.output(0);
  if (rows.dims[1] != 6)
    unexpected_instances(d, "the model gives boxes of " + std::to_string(rows.dims[1]) + " numbers");
  auto count = static_cast<std::size_t>(rows.dims[0]);
  const Output number = model.output(1);
  if (number.size == 1 && number.data[0] >= 0 && number.data[0] < static_cast<float>(count))
    count = static_cast<std::size_t>(number.data[0]);
  if (!any(rows, 1, 6)) return {};
  enough(count);
  return instances(rows.data, count, masks, width, height, d.threshold, d);
}

void settle_instances(const PictureModel& model, const std::string& path, const std::optional<Task>& asked,
                      Description& d) {
  if (d.task != Task::kObjectDetection) return;
  const InstanceForm form = instance_form(model.declared_ranks());
  const bool masks = !d.objects.regions && (form != InstanceForm::kNone || (d.objects.masks && model.outputs() > 2));
  if (asked == Task::kInstanceSegmentation && !masks) {
    throw Error(Problem::kUsage, path + ": the model gives no masks, so it is for " + task_name(d.task) + ", not for " +
                                     task_name(*asked));
  }
  if (masks && asked != Task::kObjectDetection) d.task = Task::kInstanceSegmentation;
}

}  // namespace coracle::vision
