// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "vision/description_parts.h"

namespace coracle::vision {
namespace {

void det_resize_picture(const Yaml& a, Description& d, bool by_factor) {
  check_known(a, "Resize", {"type", "target_size", "keep_ratio", "interp"});
  const std::array<int, 2> size = sides(a.at("target_size"));  // Height first.
  d.steps.emplace_back(Resize{.width = size[1],
                              .height = size[0],
                              .keep_ratio = flag(a, "keep_ratio", false),
                              .by_factor = by_factor,
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

void det_permute(const Yaml& a, Description&) {
  check_known(a, "Permute", {"type", "to_bgr", "channel_first"});
  if (flag(a, "to_bgr", false)) unsupported(a, "step Permute: to_bgr is not supported");
}

void det_pad_stride(const Yaml& a, Description& d) {
  check_known(a, "PadStride", {"type", "stride"});
  const Yaml* stride = a.find("stride");
  if (stride == nullptr || stride->integer() > 0)
    d.steps.emplace_back(PadToMultiple{stride == nullptr ? 32 : side(*stride)});
}

void det_pad(const Yaml& a, Description& d) {
  check_known(a, "Pad", {"type", "size", "fill_value"});
  Backdrop b;
  if (const Yaml* size = a.find("size")) {
    const std::array<int, 2> s = sides(*size);  // Height first.
    b.height = s[0];
    b.width = s[1];
  }
  const std::array<double, 3> colour = triple(a.find("fill_value"), {127.5, 127.5, 127.5});
  std::copy(colour.begin(), colour.end(), b.colour.begin());
  d.steps.emplace_back(b);
}

/// CenterNet's, which also takes the channels as OpenCV has them.
void det_warp_affine(const Yaml& a, Description& d) {
  check_known(a, "WarpAffine", {"type", "keep_res", "input_h", "input_w", "pad", "scale", "shift", "down_ratio"});
  if (!flag(a, "keep_res", true)) unsupported(a, "step WarpAffine: only keep_res: true is supported");
  if (number(a, "pad", 31) != 31) unsupported(a, "step WarpAffine: only pad: 31 is supported");
  d.rgb = !d.rgb;
  d.steps.emplace_back(Surround{});
}

void top_down_affine(const Yaml& a, Description& d) {
  check_known(a, "TopDownEvalAffine", {"type", "trainsize", "use_udp"});
  const std::array<int, 2> size = sides(a.at("trainsize"));
  d.task = Task::kKeypoints;
  d.steps.emplace_back(PersonCrop{.width = size[0], .height = size[1], .stretched = flag(a, "use_udp", false)});
}

constexpr NamedReader kDetection[] = {
    {"NormalizeImage", det_normalise},
    {"Pad", det_pad},
    {"PadStride", det_pad_stride},
    {"Permute", det_permute},
    {"Resize", [](const Yaml& a, Description& d) { det_resize_picture(a, d, false); }},
    {"TopDownEvalAffine", top_down_affine},
    {"WarpAffine", det_warp_affine},
};

/// Numbers from 0 to 255 are what models without NormalizeImage take. Resizing numbers is not the same as normalising
/// pixels, so the other order is refused.
void check_order(const Yaml& steps, Description& d) {
  const auto normalises = [](const Step& s) { return std::holds_alternative<Normalise>(s); };
  const auto pads = [](const Step& s) { return std::holds_alternative<PadToMultiple>(s); };
  if (std::none_of(d.steps.begin(), d.steps.end(), normalises)) {
    d.steps.insert(std::find_if(d.steps.begin(), d.steps.end(), pads), normalise(1, {0, 0, 0}, {1, 1, 1}));
  }
  const auto first = std::find_if(d.steps.begin(), d.steps.end(), normalises);
  if (!std::all_of(first + 1, d.steps.end(), pads))
    unsupported(steps, "a step that resizes or pads pixels after NormalizeImage is not supported");
}

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
  const std::optional<std::string> model = paddlex_model(root);
  const Yaml& steps = root.at("Preprocess");
  for (const Yaml::Pointer& step : steps.items()) {
    const std::string& type = step->at("type").text();
    // PaddleDetection itself keeps the factor, PaddleX takes the ratio of the sizes.
    if (type == "Resize" && !model) {
      det_resize_picture(*step, d, flag(*step, "keep_ratio", false));
    } else {
      read_step(kDetection, *step, type, *step, d);
    }
  }
  check_order(steps, d);
  d.objects.regions = model == "PP-DocLayoutV2" || model == "PP-DocLayoutV3";
  d.labels = names(root.at("label_list"));
  if (d.task == Task::kKeypoints) {
    d.threshold = kNoThreshold;  // draw_threshold is that of the detector of persons.
    return;
  }
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
  const Yaml* arch = root.find("arch");
  d.objects.masks = flag(root, "mask", false) || (arch != nullptr && arch->text() == "SOLOv2");
  read_layout(root, d);
  read_suppression(root, d);
}

}  // namespace coracle::vision
