// SPDX-License-Identifier: Apache-2.0
#include "cli/drawings.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/system/native_path.h"
#include "cli/failure.h"

namespace coracle::cli {
namespace {

namespace fs = std::filesystem;

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw Failure(ExitCode::kIo, internal::path_text(folder) + ": cannot be made: " + error.message());
}

/// The scores as grey values, from black for 0 to white for the greatest one.
vision::Image grey_scores(const vision::AnomalyMap& map) {
  vision::Image grey(map.width, map.height);
  const float factor = map.greatest > 0 ? 255.0F / map.greatest : 0;
  for (size_t i = 0; i < grey.bgr.size(); ++i) {
    const float value = map.scores[i / 3] * factor;
    grey.bgr[i] = value > 0 ? static_cast<uint8_t>(std::min(value, 255.0F)) : 0;
  }
  return grey;
}

vision::Image grey_classes(const vision::ClassMap& map) {
  vision::Image grey(map.width, map.height);
  for (size_t i = 0; i < grey.bgr.size(); ++i)
    grey.bgr[i] = static_cast<uint8_t>(std::clamp(map.classes[i / 3], 0, 255));
  return grey;
}

}  // namespace

Drawings::Drawings(const std::string& folder, bool as_video) : folder_(folder), as_video_(as_video) {
  if (!folder.empty()) make_folder(internal::native_path(folder));
}

std::string Drawings::unused(const std::string& stem) {
  std::string name = stem;
  for (int i = 2; !used_.insert(name).second; ++i) name = stem + "_" + std::to_string(i);
  const fs::path inside = internal::native_path(name).parent_path();
  if (!inside.empty()) make_folder(internal::native_path(folder_) / inside);
  return name;
}

std::string Drawings::path(const std::string& stem, const char* ending) const {
  return internal::path_text(internal::native_path(folder_) / internal::native_path(stem + ending));
}

std::string Drawings::draw(const pictures::Place& place, const vision::Image& image,
                           const vision::Prediction& prediction) {
  if (video_ != nullptr && video_of_ != place.file) finish();
  if (folder_.empty()) return {};
  if (as_video_ && place.frame) {
    if (video_ == nullptr) {
      const std::string stem = place.stem.substr(0, place.stem.rfind("_frame"));
      video_of_ = place.file;
      video_ = std::make_unique<pictures::VideoWriter>(path(unused(stem), "_answer.mp4"), place.rate);
    }
    video_->add(vision::draw(image, prediction));
    return video_->path();
  }
  const std::string stem = unused(place.stem);
  std::string file = path(stem, "_answer.png");
  vision::write_png(file, vision::draw(image, prediction));
  if (prediction.task == vision::Task::kSegmentation)
    vision::write_png(path(stem, "_classes.png"), grey_classes(prediction.map));
  if (prediction.task == vision::Task::kAnomaly)
    vision::write_png(path(stem, "_scores.png"), grey_scores(prediction.anomaly));
  return file;
}

void Drawings::finish() {
  if (video_ != nullptr) video_->finish();
  video_.reset();
}

}  // namespace coracle::cli
