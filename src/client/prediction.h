// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "coracle/vision/text_reader.h"

/// What a picture was found to show, for programs to read.
namespace coracle::client {

/// Members of the JSON object that is open: "task", and what that task finds ("labels", "boxes", "text", "objects",
/// "keypoints", "classes", "html", "page", "map" or "features"); real numbers with the digits of single precision, null
/// where they are not finite.
void write_prediction(internal::JsonWriter& writer, const vision::Prediction& prediction);
/// Members likewise: "task", which is "text-reading", and "lines".
void write_lines(internal::JsonWriter& writer, const std::vector<vision::TextLine>& lines);
/// Members "picture", its name in UTF-8, and its size: what stands before those.
void write_picture(internal::JsonWriter& writer, const std::string& name, int width, int height);
/// An object with a picture's name and why there is no answer for it.
void write_no_answer(internal::JsonWriter& writer, const std::string& name, const std::string& error);

/// A class of a class map and how many pixels it has.
struct ClassArea {
  int id;
  std::string name;
  size_t pixels;
};
/// Those that have some, by their numbers.
std::vector<ClassArea> class_areas(const vision::ClassMap& map);

/// How many pixels of the map are marked.
int marked_pixels(const vision::AnomalyMap& map);

std::string html_of(const vision::TableStructure& table);

}  // namespace coracle::client
