// SPDX-License-Identifier: Apache-2.0
// What PaddleClas says of persons, vehicles and tables, and its decisions between two classes.
#include <cmath>

#include "vision/description_parts.h"

namespace coracle::vision {
namespace {

using Names = std::vector<std::string>;

Attribute best_of(std::size_t first, Names names) { return {.first = first, .names = std::move(names)}; }
Attribute best_above(std::size_t first, double threshold, Names names, std::string otherwise) {
  return {.first = first, .names = std::move(names), .threshold = threshold, .otherwise = std::move(otherwise)};
}
Attribute either(std::size_t id, double threshold, const std::string& yes, std::string no) {
  return best_above(id, threshold, {yes}, std::move(no));
}

Names with_prefix(const std::string& prefix, Names names) {
  for (std::string& name : names) name.insert(0, prefix);
  return names;
}

/// The largest number below: what reaches the threshold is above this.
double reached(double threshold) { return std::nextafter(threshold, -1.0); }

}  // namespace

void person_attribute(const Yaml& a, Description& d) {
  check_known(a, "PersonAttribute", {"threshold", "glasses_threshold", "hold_threshold"});
  d.task = Task::kMultilabel;
  const double t = number(a, "threshold", 0.5);
  d.attributes = {
      either(22, t, "Female", "Male"),
      best_of(19, {"AgeLess18", "Age18-60", "AgeOver60"}),
      best_of(23, {"Front", "Side", "Back"}),
      either(1, number(a, "glasses_threshold", 0.3), "Glasses: True", "Glasses: False"),
      either(0, t, "Hat: True", "Hat: False"),
      either(18, number(a, "hold_threshold", 0.6), "HoldObjectsInFront: True", "HoldObjectsInFront: False"),
      best_above(15, t, {"HandBag", "ShoulderBag", "Backpack"}, "No bag"),
      best_of(2, {"ShortSleeve", "LongSleeve"}),
      {.first = 4,
       .names = {"UpperStride", "UpperLogo", "UpperPlaid", "UpperSplice"},
       .threshold = t,
       .several = true,
       .otherwise = ""},
      {.first = 8,
       .names = {"LowerStripe", "LowerPattern", "LongCoat", "Trousers", "Shorts", "Skirt&Dress"},
       .threshold = t,
       .several = true},
      either(14, t, "Boots", "No boots"),
  };
}

void vehicle_attribute(const Yaml& a, Description& d) {
  check_known(a, "VehicleAttribute", {"color_threshold", "type_threshold"});
  d.task = Task::kMultilabel;
  d.attributes = {
      best_above(0, reached(number(a, "color_threshold", 0.5)),
                 with_prefix("Color: ",
                             {"yellow", "orange", "green", "gray", "red", "blue", "white", "golden", "brown", "black"}),
                 "Color unknown"),
      best_above(10, reached(number(a, "type_threshold", 0.5)),
                 with_prefix("Type: ", {"sedan", "suv", "van", "hatchback", "mpv", "pickup", "bus", "truck", "estate"}),
                 "Type unknown"),
  };
}

/// PaddleClas holds the last three to number_threshold.
void table_attribute(const Yaml& a, Description& d) {
  check_known(a, "TableAttribute",
              {"source_threshold", "number_threshold", "color_threshold", "clarity_threshold", "obstruction_threshold",
               "angle_threshold"});
  d.task = Task::kMultilabel;
  const double number_threshold = number(a, "number_threshold", 0.5);
  d.attributes = {
      either(0, number(a, "source_threshold", 0.5), "Scanned", "Photo"),
      either(1, number_threshold, "Little", "Numerous"),
      either(2, number(a, "color_threshold", 0.5), "Black-and-White", "Multicolor"),
      either(3, number(a, "clarity_threshold", 0.5), "Clear", "Blurry"),
      either(4, number_threshold, "Without-Obstacles", "With-Obstacles"),
      either(5, number_threshold, "Horizontal", "Tilted"),
  };
}

void thresh_output(const Yaml& a, Description& d) {
  check_known(a, "ThreshOutput",
              {"threshold", "default_label_index", "label_0", "label_1", "class_id_map_file", "delimiter"});
  d.task = Task::kClassification;
  d.threshold = static_cast<float>(number(a, "threshold", 0));
  Decision decision;
  for (std::size_t i = 0; i < decision.names.size(); ++i) {
    if (const Yaml* name = a.find("label_" + std::to_string(i))) decision.names[i] = name->text();
  }
  if (const Yaml* otherwise = a.find("default_label_index")) {
    const std::int64_t id = otherwise->integer();
    if (id < 0 || id > kMaxSide) otherwise->fail("expected the number of a class, found " + otherwise->text());
    decision.otherwise = static_cast<int>(id);
  }
  d.decision = std::move(decision);
  class_names(a, d);
}

}  // namespace coracle::vision
