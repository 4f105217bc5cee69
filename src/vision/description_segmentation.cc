// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "vision/description_parts.h"

namespace coracle::vision {
namespace {

/// `paddlex`: exports of PaddleX keep the ratio and round to multiples of 32 where nothing is said.
void seg_resize(const Yaml& a, Description& d, bool paddlex) {
  check_known(a, "Resize", {"type", "target_size", "keep_ratio", "size_divisor", "interp"});
  const Yaml* target = a.find("target_size");
  const bool any = target == nullptr ? paddlex : target->kind() == Yaml::Kind::kScalar && target->text() == "-1";
  if (any) return;
  const std::array<int, 2> size = target != nullptr ? sides(*target) : std::array<int, 2>{512, 512};
  // What is said to be nothing is not left open.
  const auto open = [&](const char* name) {
    return std::none_of(a.members().begin(), a.members().end(), [&](const auto& m) { return m.first == name; });
  };
  const Yaml* divisor = a.find("size_divisor");
  const int otherwise = paddlex && open("size_divisor") ? 32 : 1;
  d.steps.emplace_back(Resize{.width = size[0],
                              .height = size[1],
                              .keep_ratio = flag(a, "keep_ratio", paddlex && open("keep_ratio")),
                              .multiple_of = divisor != nullptr ? side(*divisor) : otherwise,
                              .interpolation = interpolation(a.find("interp"), Interpolation::kLinear)});
}

void seg_normalise(const Yaml& a, Description& d) {
  check_known(a, "Normalize", {"type", "mean", "std"});
  const std::array<double, 3> half = {0.5, 0.5, 0.5};
  d.steps.emplace_back(normalise(1.0 / 255, triple(a.find("mean"), half), triple(a.find("std"), half)));
}

void seg_resize_by(const Yaml& a, Description& d, const char* key, Resize::To to) {
  check_known(a, a.at("type").text(), {"type", key, "interp"});
  d.steps.emplace_back(Resize{
      .to = to, .width = side(a.at(key)), .interpolation = interpolation(a.find("interp"), Interpolation::kLinear)});
}

constexpr NamedReader kSegmentation[] = {
    {"Normalize", seg_normalise},
    {"Resize", [](const Yaml& a, Description& d) { seg_resize(a, d, false); }},
    {"ResizeByLong", [](const Yaml& a, Description& d) { seg_resize_by(a, d, "long_size", Resize::To::kLong); }},
    {"ResizeByShort", [](const Yaml& a, Description& d) { seg_resize_by(a, d, "short_size", Resize::To::kShort); }},
};

}  // namespace

void read_segmentation(const Yaml& root, Description& d) {
  d.task = Task::kSegmentation;
  const std::optional<std::string> model = paddlex_model(root);
  const bool anomaly = model == "STFPM";
  if (anomaly) {
    d.task = Task::kAnomaly;
    d.threshold = kAnomalyThreshold;
  }
  for (const Yaml::Pointer& step : root.at("Deploy").at("transforms").items()) {
    const std::string& type = step->at("type").text();
    if (type == "Resize" && model && !anomaly) {
      seg_resize(*step, d, true);
    } else {
      read_step(kSegmentation, *step, type, *step, d);
    }
  }
  normalise_last(d);
  if (const Yaml* list = root.find("label_list")) d.labels = names(*list);
}

}  // namespace coracle::vision
