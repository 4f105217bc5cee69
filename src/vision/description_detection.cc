// SPDX-License-Identifier: Apache-2.0
#include "vision/description_parts.h"

namespace coracle::vision {
namespace {

void det_resize_picture(const Yaml& a, Description& d) {
  check_known(a, "Resize", {"type", "target_size", "keep_ratio", "interp"});
  const std::array<int, 2> size = sides(a.at("target_size"));  // Height first.
  d.steps.emplace_back(Resize{.width = size[1],
                              .height = size[0],
                              .keep_ratio = flag(a, "keep_ratio", false),
                              .interpolation = interpolation(a.find("interp"), Interpolation::kCubic)});
}

void det_normalise(const Yaml& a, Description& d) {
  check_known(a, "NormalizeImage", {"type", "norm_type", "mean", "std", "is_scale"});
  const double scale = flag(a, "is_scale", true) ? 1.0 / 255 : 1.0;
  const Yaml* type = a.find("norm_type");
  // A null here is what exports write for the word none.
  if (type != nullptr && type->text() != "mean_std" && type->text() != "none")
    unsupported(*type, "norm_type '" + type->text() + "' is not known; known are: mean_std, none");
  const bool none = type != nullptr && type->text() == "none";
  d.steps.emplace_back(none ? normalise(scale, {0, 0, 0}, {1, 1, 1})
                            : normalise(scale, triple(a.find("mean"), kMean), triple(a.find("std"), kDeviation)));
}

void det_pad_stride(const Yaml& a, Description& d) {
  check_known(a, "PadStride", {"type", "stride"});
  d.steps.emplace_back(PadToMultiple{side(a.at("stride"))});
}

constexpr NamedReader kDetection[] = {{"NormalizeImage", det_normalise},
                                      {"PadStride", det_pad_stride},
                                      {"Permute", nothing},
                                      {"Resize", det_resize_picture}};

void read_layout(const Yaml& root, Description& d) {
  d.objects.suppress = flag(root, "layout_nms", false);
  if (const Yaml* ratio = root.find("layout_unclip_ratio")) {
    if (ratio->kind() == Yaml::Kind::kMapping)
      unsupported(*ratio, "layout_unclip_ratio by class is not supported, one for all is");
    const bool one = ratio->kind() == Yaml::Kind::kScalar;
    if (!one && ratio->items().size() != 2) ratio->fail("expected one ratio, or two for width and height");
    d.objects.grow = {static_cast<float>(one ? ratio->number() : ratio->items()[0]->number()),
                      static_cast<float>(one ? ratio->number() : ratio->items()[1]->number())};
  }
  if (const Yaml* mode = root.find("layout_merge_bboxes_mode")) {
    if (mode->kind() != Yaml::Kind::kScalar)
      unsupported(*mode, "layout_merge_bboxes_mode by class is not supported, one for all is");
    if (mode->text() != "union" && mode->text() != "large" && mode->text() != "small") {
      unsupported(*mode,
                  "layout_merge_bboxes_mode '" + mode->text() + "' is not known; known are: union, large, small");
    }
    d.objects.nested = mode->text() == "large"   ? ObjectOptions::Nested::kOuter
                       : mode->text() == "small" ? ObjectOptions::Nested::kInner
                                                 : ObjectOptions::Nested::kKeep;
  }
}

/// What exports say that end before non-maximum suppression, and others too.
void read_suppression(const Yaml& root, Description& d) {
  if (const Yaml* strides = root.find("fpn_stride")) {
    d.objects.strides.clear();
    for (const Yaml::Pointer& stride : strides->items()) d.objects.strides.push_back(side(*stride));
  }
  const Yaml* nms = root.find("NMS");
  if (nms == nullptr || nms->kind() != Yaml::Kind::kMapping) return;
  const Yaml* overlap = nms->find("nms_threshold");
  if (overlap == nullptr) return;
  if (!(overlap->number() >= 0 && overlap->number() <= 1)) overlap->fail("expected an overlap from 0 to 1");
  d.objects.overlap = static_cast<float>(overlap->number());
}

}  // namespace

void read_detection(const Yaml& root, Description& d) {
  d.task = Task::kObjectDetection;
  for (const Yaml::Pointer& step : root.at("Preprocess").items())
    read_step(kDetection, *step, step->at("type").text(), *step, d);
  d.labels = names(root.at("label_list"));
  d.threshold = 0.5F;
  if (const Yaml* threshold = root.find("draw_threshold")) {
    if (threshold->kind() == Yaml::Kind::kMapping) {
      for (const auto& [id, value] : threshold->members()) {
        if (id.empty() || id.size() > 6 || id.find_first_not_of("0123456789") != std::string::npos)
          value->fail("expected the number of a class, found '" + id + "'");
        d.objects.thresholds[std::stoi(id)] = static_cast<float>(value->number());
      }
    } else {
      d.threshold = static_cast<float>(threshold->number());
    }
  }
  read_layout(root, d);
  read_suppression(root, d);
}

}  // namespace coracle::vision
