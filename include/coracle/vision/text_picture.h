// SPDX-License-Identifier: Apache-2.0
// What was read beside the picture.
#pragma once

#include <string>
#include <vector>

#include "coracle/vision/text_reader.h"

namespace coracle::vision {

struct TextPicture {
  Image image;          ///< twice as wide as the page
  std::string font;     ///< the file
  std::string missing;  ///< characters that the font has not, each once; they are drawn as it draws such
};

/// To the left the page with its lines in colours, to the right on white their outlines and texts in their places and
/// sizes, of tall boxes from top to bottom. `font`: a file; otherwise the one installed that has the most of the
/// characters. Error if there is none, or no FreeType (libfreetype.so.6).
CORACLE_VISION_API TextPicture draw_texts(const Image& page, const std::vector<TextLine>& lines,
                                          const std::string& font = {});

}  // namespace coracle::vision
