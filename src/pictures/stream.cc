// SPDX-License-Identifier: Apache-2.0
#include "pictures/stream.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/system/native_path.h"

namespace coracle::pictures {
namespace {

/// A file that is one picture.
class OnePicture final : public Source {
 public:
  explicit OnePicture(const Given& file) : file_(file) {}
  std::optional<Picture> next() override {
    if (std::exchange(read_, true)) return std::nullopt;
    Picture picture;
    picture.image = vision::read_image(file_.path);
    picture.place.file = file_.path;
    picture.place.stem = file_.stem;
    return picture;
  }
  size_t left() const override { return read_ ? 0 : 1; }

 private:
  Given file_;
  bool read_ = false;
};

std::unique_ptr<Source> open(const Given& file, const StreamOptions& options) {
  if (!file.problem.empty()) throw vision::Error(vision::Problem::kPicture, file.path + ": " + file.problem);
  const Kind kind = kind_of(file.path);
  std::error_code error;
  if (kind != Kind::kPicture && !std::filesystem::exists(internal::native_path(file.path), error))
    throw vision::Error(vision::Problem::kPicture, file.path + ": there is no such file");
  switch (kind) {
    case Kind::kPdf: return open_pdf(file, options);
    case Kind::kVideo: return open_video(file, options);
    case Kind::kPicture: break;
  }
  return std::make_unique<OnePicture>(file);
}

}  // namespace

std::string Place::name() const {
  if (page) return file + ", page " + std::to_string(*page);
  return frame ? file + ", frame " + std::to_string(*frame) : file;
}

Stream::Stream(const std::vector<std::string>& given, StreamOptions options)
    : files_(files_of(given)), options_(std::move(options)) {}

std::optional<Picture> Stream::next() {
  for (; file_ < files_.size(); ++file_, source_.reset()) {
    const Given& file = files_[file_];
    try {
      if (source_ == nullptr) source_ = open(file, options_);
      if (std::optional<Picture> picture = source_->next()) {
        ++given_;
        return picture;
      }
    } catch (const vision::Error& e) {
      if (e.problem() != vision::Problem::kPicture) throw;
      Picture picture;
      picture.place.file = file.path;
      picture.place.stem = file.stem;
      picture.problem = e.what();
      if (!picture.problem.starts_with(file.path)) picture.problem.insert(0, file.path + ": ");
      ++file_;
      ++given_;
      source_.reset();
      return picture;
    }
  }
  return std::nullopt;
}

size_t Stream::expected() const {
  if (source_ == nullptr) return given_ + files_.size() - file_;
  return given_ + source_->left() + files_.size() - file_ - 1;
}

bool Stream::has(Kind kind) const {
  return std::any_of(files_.begin(), files_.end(), [kind](const Given& f) { return kind_of(f.path) == kind; });
}

}  // namespace coracle::pictures
