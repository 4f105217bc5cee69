// SPDX-License-Identifier: Apache-2.0
// Pictures as programs are given them, one after the other: files, folders of files, pages of PDFs, frames of videos.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coracle/vision/image.h"
#include "pictures/names.h"

namespace coracle::pictures {

/// Where a picture is from.
struct Place {
  std::string file;
  std::string stem;                ///< a path for what belongs to the picture, relative and without an ending
  std::optional<int64_t> page{};   ///< of a PDF, from 1 on
  std::optional<int64_t> frame{};  ///< of a video, from 0 on
  double time = 0;                 ///< of the frame, in seconds
  double rate = 0;                 ///< of the video, frames that are taken for each second, on average

  /// For people: "report.pdf, page 3".
  std::string name() const;
};

/// A picture, or why there is none.
struct Picture {
  Place place;
  vision::Image image;
  std::string problem;  ///< with the name of the file
};

struct StreamOptions {
  int dpi = 144;                   ///< pixels of a page for each inch
  std::vector<PageRange> pages{};  ///< of each PDF; empty: all
  int64_t every = 1;               ///< of a video each N-th frame, the first one included
  double fps = 0;                  ///< of a video so many frames for each second, where it has more; 0: as `every` says
};

/// The pictures of one file. Methods throw vision::Error (kPicture) where nothing more comes of it.
class Source {
 public:
  virtual ~Source() = default;
  /// Nothing after the last one.
  virtual std::optional<Picture> next() = 0;
  /// How many are still to come, as far as that is known.
  virtual size_t left() const = 0;
};
/// Pages by poppler's programs pdfinfo and pdftoppm; one page is in memory at a time, and one is made ahead.
std::unique_ptr<Source> open_pdf(const Given& file, const StreamOptions& options);
/// Frames by ffmpeg and ffprobe.
std::unique_ptr<Source> open_video(const Given& file, const StreamOptions& options);

/// All pictures of what was given, one in memory at a time; for one thread at a time.
class Stream {
 public:
  /// Throws vision::Error (see files_of); files are opened as their turn comes.
  Stream(const std::vector<std::string>& given, StreamOptions options);

  /// Nothing at the end. What cannot be read is a Picture with a problem, and others follow.
  std::optional<Picture> next();

  /// How many pictures it has given, and how many it will have given in the end, as far as that is known.
  size_t given() const { return given_; }
  size_t expected() const;
  bool has(Kind kind) const;

 private:
  std::vector<Given> files_;
  StreamOptions options_;
  size_t file_ = 0;
  size_t given_ = 0;
  std::unique_ptr<Source> source_;
};

}  // namespace coracle::pictures
