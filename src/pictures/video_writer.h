// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/system/child.h"
#include "coracle/vision/image.h"

namespace coracle::pictures {

/// Writes a video by ffmpeg, as H.264 where it has an encoder for that, else as MPEG-4. The file has another name until
/// it is whole. Methods throw vision::Error (kFile).
class VideoWriter {
 public:
  /// `rate`: frames for each second. All frames have the size of the first.
  VideoWriter(std::string path, double rate);
  /// Without `finish` nothing is left.
  ~VideoWriter();
  VideoWriter(const VideoWriter&) = delete;
  VideoWriter& operator=(const VideoWriter&) = delete;

  const std::string& path() const { return path_; }
  void add(const vision::Image& frame);
  void finish();

 private:
  [[noreturn]] void fail(const std::string& why) const;

  std::string path_;
  std::string unfinished_;
  double rate_;
  int width_ = 0;
  int height_ = 0;
  std::unique_ptr<internal::Child> child_;
};

}  // namespace coracle::pictures
