// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace coracle::pictures {

/// What a file holds, as the ending of its name says, in any case of letters.
enum class Kind {
  kPicture,  ///< one picture; also what has an ending that says nothing
  kPdf,      ///< pages
  kVideo,    ///< frames
};
Kind kind_of(std::string_view path);

/// Whether a file's name says that it is a picture: .png, .jpg, .jpeg, .bmp or .webp.
bool names_picture(std::string_view path);

/// What was given, or was found in a folder that was given.
struct Given {
  std::string path;
  std::string stem;     ///< where its answers belong: its path in the folder, else its name, without the ending
  std::string problem;  ///< a folder that cannot be listed: why not; the path is that folder's
};

/// The files as given, and of folders the pictures, PDFs and videos in them and in all folders below, by name. What is
/// hidden (its name begins with a dot) and what is no file is left out; a folder that links lead to again is listed
/// once. Throws vision::Error where a folder that was given has nothing to read or cannot be listed.
std::vector<Given> files_of(const std::vector<std::string>& given);

/// Pages of a document: from `first`, which is 1 or more, to `last`.
struct PageRange {
  int64_t first = 1;
  int64_t last = INT64_MAX;
};
/// "1-3,5" or "7-". Throws std::invalid_argument that says what was expected.
std::vector<PageRange> parse_pages(const std::string& text);

}  // namespace coracle::pictures
