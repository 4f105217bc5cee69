// SPDX-License-Identifier: Apache-2.0
// What the readers of the kinds of descriptions share.
#pragma once

#include <array>
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
inline constexpr int kMaxSide = 16384;

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

/// PreProcess and PostProcess of PaddleX, PaddleClas and PaddleOCR: lists of names with arguments.
void read_with_ops(const Yaml& root, Description& description);
/// Preprocess of PaddleDetection: a list of types with arguments beside them.
void read_detection(const Yaml& root, Description& description);
/// Deploy of PaddleSeg: likewise.
void read_segmentation(const Yaml& root, Description& description);

}  // namespace coracle::vision
