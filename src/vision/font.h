// SPDX-License-Identifier: Apache-2.0
// Text in pictures, with a font of the machine: FreeType is loaded when the first one is opened (docs/adr/0010).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "coracle/vision/image.h"

namespace coracle::vision {

/// The characters of UTF-8; U+FFFD for each byte that is none.
std::u32string characters_of(const std::string& utf8);
std::string utf8_of(char32_t character);

/// Fonts of the machine in the order in which they are preferred, of which the last have few scripts.
std::vector<std::string> installed_fonts();

class Font {
 public:
  /// Error if there is no such font, or no FreeType.
  explicit Font(const std::string& path);
  ~Font();
  Font(const Font&) = delete;
  Font& operator=(const Font&) = delete;

  const std::string& path() const { return path_; }
  bool has(char32_t character) const;
  /// In pixels from one line to the next, roughly; at least 1.
  void set_size(int pixels);
  double width(const std::u32string& text) const;
  int height(char32_t character) const;
  /// Writes in black; (x, y) is the upper left corner of the line.
  void write(Image& onto, const std::u32string& text, int x, int y) const;

 private:
  struct Face;
  std::string path_;
  std::unique_ptr<Face> face_;
};

}  // namespace coracle::vision
