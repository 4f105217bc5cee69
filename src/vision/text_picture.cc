// SPDX-License-Identifier: Apache-2.0
#include "coracle/vision/text_picture.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "vision/canvas.h"
#include "vision/font.h"
#include "vision/limits.h"
#include "vision/warp.h"

namespace coracle::vision {
namespace {

constexpr double kOfHeight = 0.8;  // Size of a font to the height of its line.
constexpr double kOfSpace = 0.96;  // And of a character of a tall line to its share of the height.
constexpr int kTallPixels = 30;    // Pixels from which on a line twice as high as wide runs from top to bottom.
constexpr int kLeast = 10;         // Pixels of the font of such a line.
constexpr int kGap = 2;            // Pixels between its characters.

/// Colours as far from one another as so many can be: steps of the golden ratio round the wheel of hues.
Colour colour_of(std::size_t index) {
  const double hue = std::fmod(static_cast<double>(index) * 0.618033988749895, 1.0) * 6;
  const auto channel = [&](double offset) {
    const double k = std::fmod(offset + hue, 6.0);
    return static_cast<int>(210 * (1 - std::clamp(std::min(k, 4 - k), 0.0, 1.0)) + 20);
  };
  return {channel(1), channel(3), channel(5)};
}

std::set<char32_t> all_characters(const std::vector<std::u32string>& texts) {
  std::set<char32_t> all;
  for (const std::u32string& text : texts) all.insert(text.begin(), text.end());
  all.erase(U' ');
  return all;
}

std::unique_ptr<Font> font_for(const std::set<char32_t>& characters, const std::string& given) {
  if (!given.empty()) return std::make_unique<Font>(given);
  std::unique_ptr<Font> best;
  std::ptrdiff_t most = -1;
  for (const std::string& path : installed_fonts()) {
    auto font = std::make_unique<Font>(path);
    const std::ptrdiff_t known =
        std::count_if(characters.begin(), characters.end(), [&](char32_t c) { return font->has(c); });
    if (known > most) {
      most = known;
      best = std::move(font);
    }
  }
  if (best == nullptr) {
    throw Error(Problem::kFile,
                "no font is installed that is known here; give one (--font FILE), or install one (Debian: "
                "fonts-wqy-microhei or fonts-noto-cjk, for Latin letters fonts-dejavu-core)");
  }
  return best;
}

int rounded_distance(const Point& a, const Point& b) { return static_cast<int>(distance(a, b)); }

/// The text at the size of its box, black on white.
Image written(Font& font, const std::u32string& text, int width, int height) {
  Image image(width, height);
  std::fill(image.bgr.begin(), image.bgr.end(), std::uint8_t{255});
  if (text.empty()) return image;
  if (height > 2 * width && height > kTallPixels) {
    const auto count = static_cast<double>(text.size());
    int size = std::max(static_cast<int>(height / count * kOfSpace), kLeast);
    font.set_size(size);
    double widest = 0;
    for (const char32_t c : text) widest = std::max(widest, font.width({c}));
    if (widest > width) {
      size = std::max(static_cast<int>(size * width / widest), kLeast);
      font.set_size(size);
    }
    int y = 0;
    for (const char32_t c : text) {
      font.write(image, {c}, 0, y);
      y += (c == U' ' ? size / 2 : font.height(c)) + kGap;
    }
    return image;
  }
  const int size = static_cast<int>(height * kOfHeight);
  font.set_size(size);
  const double wide = font.width(text);
  if (wide > width) font.set_size(static_cast<int>(size * width / wide));
  font.write(image, text, 0, 0);
  return image;
}

}  // namespace

TextPicture draw_texts(const Image& page, const std::vector<TextLine>& lines, const std::string& given) {
  check_size(std::int64_t{2} * page.width, page.height);
  std::vector<std::u32string> texts;
  for (const TextLine& line : lines) texts.push_back(characters_of(line.text));
  const std::set<char32_t> characters = all_characters(texts);
  const std::unique_ptr<Font> font = font_for(characters, given);
  TextPicture result;
  result.font = font->path();
  for (const char32_t c : characters) {
    if (!font->has(c)) result.missing += utf8_of(c);
  }
  Image white(page.width, page.height);
  std::fill(white.bgr.begin(), white.bgr.end(), std::uint8_t{255});
  Canvas left(page);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::array<Point, 4>& box = lines[i].corners;
    left.tint(box, colour_of(i));
    const int width = rounded_distance(box[0], box[1]);
    const int height = rounded_distance(box[0], box[3]);
    if (width > 0 && height > 0) place(written(*font, texts[i], width, height), box, white);
  }
  Canvas right(white);
  for (std::size_t i = 0; i < lines.size(); ++i) right.outline(lines[i].corners, colour_of(i), colour_of(i));
  const Image halves[] = {left.take(), right.take()};
  result.image = Image(2 * page.width, page.height);
  for (int y = 0; y < page.height; ++y) {
    for (int half = 0; half < 2; ++half)
      std::copy_n(halves[half].row(y), 3 * page.width, result.image.row(y) + std::ptrdiff_t{3} * half * page.width);
  }
  return result;
}

}  // namespace coracle::vision
