// SPDX-License-Identifier: Apache-2.0
#include "pictures/video_writer.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/system/native_path.h"
#include "pictures/program.h"

namespace coracle::pictures {
namespace {

using internal::native_path;

std::string rate_text(double rate) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", rate);
  return text.data();
}

}  // namespace

VideoWriter::VideoWriter(std::string path, double rate)
    : path_(std::move(path)), unfinished_(path_ + ".part"), rate_(rate) {}

VideoWriter::~VideoWriter() {
  if (child_ == nullptr) return;
  child_->stop();
  std::error_code ignored;
  std::filesystem::remove(native_path(unfinished_), ignored);
}

void VideoWriter::fail(const std::string& why) const {
  throw vision::Error(vision::Problem::kFile, path_ + ": " + why);
}

void VideoWriter::add(const vision::Image& frame) {
  if (child_ == nullptr) {
    width_ = frame.width;
    height_ = frame.height;
    // Sizes of both encoders are even.
    child_ = std::make_unique<internal::Child>(
        std::vector<std::string>{"ffmpeg",
                                 "-nostdin",
                                 "-hide_banner",
                                 "-loglevel",
                                 "level+error",
                                 "-y",
                                 "-f",
                                 "rawvideo",
                                 "-pixel_format",
                                 "bgr24",
                                 "-video_size",
                                 std::to_string(width_) + "x" + std::to_string(height_),
                                 "-framerate",
                                 rate_text(rate_),
                                 "-i",
                                 "-",
                                 "-vf",
                                 "pad=ceil(iw/2)*2:ceil(ih/2)*2",
                                 "-pix_fmt",
                                 "yuv420p",
                                 "-f",
                                 "mp4",
                                 "-movflags",
                                 "+faststart",
                                 "file:" + unfinished_},
        internal::Child::Pipe::kInput);
    if (child_->error() == ENOENT)
      fail(
          "videos are written by the program ffmpeg, which is not installed or not in PATH (Debian: apt install "
          "ffmpeg)");
    if (child_->error() != 0) fail(std::string("ffmpeg cannot be started: ") + std::strerror(child_->error()));
  }
  if (frame.width != width_ || frame.height != height_)
    fail("a drawing has " + std::to_string(frame.width) + " x " + std::to_string(frame.height) +
         " pixels, the first one " + std::to_string(width_) + " x " + std::to_string(height_));
  if (!child_->write(frame.bgr.data(), frame.bgr.size())) {
    child_->finish();
    fail("cannot be written; ffmpeg says: " + last_line(child_->messages()));
  }
}

void VideoWriter::finish() {
  if (child_ == nullptr) return;
  if (child_->finish() != 0) fail("cannot be written; ffmpeg says: " + last_line(child_->messages()));
  std::error_code error;
  std::filesystem::rename(native_path(unfinished_), native_path(path_), error);
  if (error) fail("cannot be written: " + error.message());
  child_.reset();
}

}  // namespace coracle::pictures
