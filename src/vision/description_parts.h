// SPDX-License-Identifier: Apache-2.0
// What the readers of the kinds of descriptions share.
#pragma once

#include <array>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vision/description.h"
#include "vision/yaml.h"

namespace coracle::vision {

/// The usual mean and deviation of channels, as fractions of the largest value.
inline constexpr std::array<double, 3> kMean = {0.485, 0.456, 0.406};
inline constexpr std::array<double, 3> kDeviation = {0.229, 0.224, 0.225};
inline constexpr float kAnomalyThreshold = 0.01F;
inline constexpr int kMaxSide = 16384;
inline constexpr float kNoThreshold = std::numeric_limits<float>::lowest();

/// An error about what a description asks for and does not exist here.
[[noreturn]] void unsupported(const Yaml& node, const std::string& what);
int side(const Yaml& node);
/// Two lengths, or one for both.
std::array<int, 2> sides(const Yaml& node);
/// Three numbers, or one for all channels.
std::array<double, 3> triple(const Yaml* node, const std::array<double, 3>& otherwise);
bool flag(const Yaml& node, std::string_view name, bool otherwise);
double number(const Yaml& node, std::string_view name, double otherwise);
std::vector<std::string> names(const Yaml& list);
/// By number as in OpenCV, or by name.
Interpolation interpolation(const Yaml* node, Interpolation otherwise);
/// Refuses what a step asks for besides what is understood, rather than answering as if it were not there.
void check_known(const Yaml& arguments, const std::string& step, const std::set<std::string_view>& known);

/// Whatever their order, pictures are brought to size before they are normalised.
void normalise_last(Description& description);

/// Global: model_name, which exports of PaddleX have, and no others.
std::optional<std::string> paddlex_model(const Yaml& root);

/// A step by its name, and what it does to the description.
struct NamedReader {
  const char* name;
  void (*read)(const Yaml& arguments, Description& description);
};
/// The reader of that name; an error at `at` with those that are known if there is none.
void read_step(std::span<const NamedReader> known, const Yaml& at, const std::string& name, const Yaml& arguments,
               Description& description);
/// Steps of training, or that make no difference to one picture.
inline void nothing(const Yaml&, Description&) {}

/// The longer side of pictures of tables where nothing is said.
inline constexpr int kTableSide = 488;
/// Steps of table structure among those that read_with_ops knows, and what the model's name says besides.
void table_label_encode(const Yaml& arguments, Description& description);
void resize_table_image(const Yaml& arguments, Description& description);
void padding_table_image(const Yaml& arguments, Description& description);
void table_label_decode(const Yaml& arguments, Description& description);
void read_table(const Yaml& root, Description& description);

/// Answers of PaddleClas among the steps that read_with_ops knows.
void person_attribute(const Yaml& arguments, Description& description);
void table_attribute(const Yaml& arguments, Description& description);
void thresh_output(const Yaml& arguments, Description& description);
void vehicle_attribute(const Yaml& arguments, Description& description);
/// Names of classes in the description or in a file of their own.
void class_names(const Yaml& arguments, Description& description);

/// PreProcess and PostProcess of PaddleX, PaddleClas and PaddleOCR: lists of names with arguments.
void read_with_ops(const Yaml& root, Description& description);
/// Preprocess of PaddleDetection: a list of types with arguments beside them.
void read_detection(const Yaml& root, Description& description);
/// Deploy of PaddleSeg: likewise.
void read_segmentation(const Yaml& root, Description& description);

}  // namespace coracle::vision
