// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <set>
#include <string>

#include "coracle/vision/predictor.h"
#include "pictures/stream.h"
#include "pictures/video_writer.h"

namespace coracle::cli {

/// The files of `predict --draw`. Each name is used once: pictures of several folders may have the same one.
class Drawings {
 public:
  /// In a folder, which is made; empty: nothing is drawn. `as_video`: the frames of a video are one file.
  Drawings(const std::string& folder, bool as_video);

  /// Draws the answer and returns the file, if that was asked for. Of a class map also the numbers of the classes are
  /// written, of an anomaly map the scores, as grey values.
  std::string draw(const pictures::Place& place, const vision::Image& image, const vision::Prediction& prediction);
  /// Nothing more comes of the last video.
  void finish();

 private:
  std::string unused(const std::string& stem);
  std::string path(const std::string& stem, const char* ending) const;

  std::string folder_;
  bool as_video_;
  std::set<std::string> used_;
  std::string video_of_;  ///< the file whose drawings `video_` has
  std::unique_ptr<pictures::VideoWriter> video_;
};

}  // namespace coracle::cli
