// SPDX-License-Identifier: Apache-2.0
#include "vision/families.h"

#include <algorithm>
#include <filesystem>

#include "base/system/native_path.h"
#include "vision/description_parts.h"

namespace coracle::vision {
namespace {

using Dims = std::vector<std::int64_t>;

/// How far shapes alone tell a family, where no name does.
enum class Shapes {
  kDoNotFit,
  kFit,      ///< as those of many other models do
  kSuggest,  ///< together with the task: it may be of the family, or a model that is taken in the usual way
  kTell,     ///< no other known model has such
};

struct Family {
  const char* name;
  Task task;
  std::vector<const char*> words;  ///< that the name of file or folder has, in small letters and digits alone
  Shapes (*shapes)(const FamilyTraits& traits);
  Description (*describe)(const Dims& input);
};

bool is_or_free(std::int64_t declared, std::int64_t size) { return declared < 0 || declared == size; }
bool takes(const Dims& input, std::int64_t height, std::int64_t width) {
  return input.size() == 4 && input[2] == height && input[3] == width;
}
/// One output, [pictures, classes].
bool gives_classes(const FamilyTraits& t, std::int64_t classes) {
  return t.outputs.size() == 1 && t.outputs[0].size() == 2 && t.outputs[0][1] == classes;
}
bool has_size(const Dims& input) { return input.size() == 4 && input[2] > 0 && input[3] > 0; }

Description classes_of(std::vector<Step> steps, std::vector<std::string> labels, bool rgb) {
  Description d;
  d.rgb = rgb;
  d.steps = std::move(steps);
  d.labels = std::move(labels);
  d.topk = d.labels.empty() ? 5 : 1;
  return d;
}

/// PaddleDetection's: stretched to the model's size.
Description detector(const Dims& input, const Normalise& values) {
  Description d;
  d.task = Task::kObjectDetection;
  d.threshold = 0.5F;
  d.steps = {Resize{.width = static_cast<int>(input[3]),
                    .height = static_cast<int>(input[2]),
                    .interpolation = Interpolation::kCubic},
             values};
  return d;
}

Shapes detector_shapes(const FamilyTraits& t) { return has_size(t.input) ? Shapes::kFit : Shapes::kDoNotFit; }

const std::vector<Family>& families() {
  static const std::vector<Family> table = {
      {.name = "PP-OCR classifier of the angle of lines",
       .task = Task::kClassification,
       .words = {"ppocr", "cls"},
       .shapes =
           [](const FamilyTraits& t) {
             if (!gives_classes(t, 2)) return Shapes::kDoNotFit;
             if (takes(t.input, 48, 192) || takes(t.input, 32, 100)) return Shapes::kTell;
             return is_or_free(t.input[2], 48) && is_or_free(t.input[3], 192) ? Shapes::kSuggest : Shapes::kDoNotFit;
           },
       // Those that declare 32 x 100 were trained with 48 x 192, too.
       .describe =
           [](const Dims&) {
             return classes_of({LineResize{.height = 48, .width = 192, .most = 192}}, {"0", "180"}, false);
           }},
      {.name = "PP-LCNet classifier of the direction of lines (textline_ori)",
       .task = Task::kClassification,
       .words = {"textlineori"},
       .shapes =
           [](const FamilyTraits& t) {
             return gives_classes(t, 2) && takes(t.input, 80, 160) ? Shapes::kTell : Shapes::kDoNotFit;
           },
       .describe =
           [](const Dims&) {
             return classes_of({Resize{.width = 160, .height = 80}, normalise(1.0 / 255, kMean, kDeviation)},
                               {"0_degree", "180_degree"}, true);
           }},
      {.name = "PP-LCNet classifier of the direction of pages (doc_ori)",
       .task = Task::kClassification,
       .words = {"docori"},
       .shapes = [](const FamilyTraits& t) { return gives_classes(t, 4) ? Shapes::kFit : Shapes::kDoNotFit; },
       .describe =
           [](const Dims& input) {
             Description d = usual_description(Task::kClassification, input);
             d.labels = {"0", "90", "180", "270"};
             d.topk = 1;
             return d;
           }},
      {.name = "PP-LCNet classifier of ImageNet",
       .task = Task::kClassification,
       .words = {"pplcnet"},
       .shapes = [](const FamilyTraits& t) { return gives_classes(t, 1000) ? Shapes::kFit : Shapes::kDoNotFit; },
       .describe = [](const Dims& input) { return usual_description(Task::kClassification, input); }},
      {.name = "PP-OCR detector of text",
       .task = Task::kTextDetection,
       .words = {"ppocr", "det"},
       .shapes =
           [](const FamilyTraits& t) {
             return !t.outputs.empty() && t.outputs[0].size() == 4 && t.outputs[0][1] == 1 ? Shapes::kFit
                                                                                           : Shapes::kDoNotFit;
           },
       .describe = [](const Dims& input) { return usual_description(Task::kTextDetection, input); }},
      {.name = "PP-OCR recogniser of text",
       .task = Task::kTextRecognition,
       .words = {"ppocr", "rec"},
       .shapes =
           [](const FamilyTraits& t) {
             const bool lines = t.input.size() == 4 && (t.input[2] == 32 || t.input[2] == 48);
             if (t.outputs.size() != 1 || t.outputs[0].size() != 3) return Shapes::kDoNotFit;
             return lines ? Shapes::kTell : Shapes::kFit;
           },
       .describe = [](const Dims& input) { return usual_description(Task::kTextRecognition, input); }},
      {.name = "PicoDet detector",
       .task = Task::kObjectDetection,
       .words = {"picodet"},
       .shapes = detector_shapes,
       .describe = [](const Dims& input) { return detector(input, normalise(1.0 / 255, kMean, kDeviation)); }},
      {.name = "PP-YOLOE detector",
       .task = Task::kObjectDetection,
       .words = {"ppyoloe"},
       .shapes = detector_shapes,
       .describe =
           [](const Dims& input) {
             return detector(input, normalise(1.0 / 255, {0, 0, 0}, {1, 1, 1}));
           }},
  };
  return table;
}

/// The last two names of the path, of which one is usually the folder, in small letters and digits alone.
std::string names_in(const std::string& path) {
  std::error_code error;
  std::filesystem::path whole = std::filesystem::absolute(internal::native_path(path), error).lexically_normal();
  if (!whole.has_filename()) whole = whole.parent_path();
  std::string names;
  for (const char c :
       internal::path_text(whole.parent_path().filename()) + "/" + internal::path_text(whole.filename())) {
    if (c >= 'A' && c <= 'Z') names.push_back(static_cast<char>(c - 'A' + 'a'));
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) names.push_back(c);
  }
  return names;
}

struct StepText {
  static std::string size(int width, int height) { return std::to_string(height) + " x " + std::to_string(width); }

  std::string operator()(const Resize& s) const {
    const std::string length = std::to_string(s.width);
    return s.to == Resize::To::kSize    ? "resized to " + size(s.width, s.height)
           : s.to == Resize::To::kShort ? "the shorter side resized to " + length
                                        : "the longer side resized to " + length;
  }
  std::string operator()(const TextResize& s) const {
    return "the longer side at most " + std::to_string(s.length) + ", sides multiples of 32";
  }
  std::string operator()(const LineResize& s) const {
    return "resized to " + size(s.width, s.height) + (s.most > s.width ? " or wider" : "") +
           " keeping the ratio, values from -1 to 1";
  }
  std::string operator()(const CentreCrop& s) const { return "the middle " + size(s.width, s.height) + " of it"; }
  std::string operator()(const Surround&) const { return "on black"; }
  std::string operator()(const Backdrop& s) const { return "on a picture of " + size(s.width, s.height); }
  std::string operator()(const Normalise& s) const {
    // value * factor + term is (value / 255 - mean) / deviation
    if (s.term[0] == 0) return "values from 0 to 1";
    const bool half = s.term[0] == -1 && s.term[1] == -1;
    return half ? "values from -1 to 1" : "ImageNet's mean and deviation";
  }
  std::string operator()(const PadToMultiple& s) const { return "padded to multiples of " + std::to_string(s.of); }
  std::string operator()(const PadTo& s) const { return "padded to " + size(s.width, s.height); }
  std::string operator()(const PersonCrop& s) const { return "a person in " + size(s.width, s.height); }
};

}  // namespace

std::optional<Description> family_description(const FamilyTraits& traits, std::optional<Task> task,
                                              std::string& family) {
  const std::string names = names_in(traits.path);
  const Family* named = nullptr;
  const Family* told = nullptr;
  const Family* suggested = nullptr;
  for (const Family& f : families()) {
    if (task && *task != f.task) continue;
    const Shapes shapes = f.shapes(traits);
    if (shapes == Shapes::kDoNotFit) continue;
    const bool by_name = std::all_of(f.words.begin(), f.words.end(),
                                     [&](const char* word) { return names.find(word) != std::string::npos; });
    if (by_name && named == nullptr) named = &f;
    if (shapes == Shapes::kTell && told == nullptr) told = &f;
    if (shapes == Shapes::kSuggest && task) suggested = &f;
  }
  const Family* found = named != nullptr ? named : told;
  if (found == nullptr && suggested != nullptr) {
    throw Error(Problem::kUsage,
                traits.path + ": there is no inference.yml beside the model, and its shapes are those of a " +
                    suggested->name + " (" + preparation_text(suggested->describe(traits.input)) +
                    ") as well as of a model that takes pictures in the usual way (" +
                    preparation_text(usual_description(*task, traits.input)) +
                    "); give a file that says it as 'description', or the folder a name that tells the family");
  }
  if (found == nullptr) return std::nullopt;
  family = found->name;
  return found->describe(traits.input);
}

std::string preparation_text(const Description& description) {
  std::string text;
  for (const Step& step : description.steps) text.append(std::visit(StepText{}, step)).append(", ");
  return text + (description.rgb ? "RGB" : "BGR");
}

}  // namespace coracle::vision
