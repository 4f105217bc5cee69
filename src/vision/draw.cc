// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "coracle/vision/text_reader.h"
#include "vision/geometry.h"

namespace coracle::vision {
namespace {

struct Colour {
  int blue, green, red;
};

constexpr Colour kOutline{40, 160, 40};
constexpr Colour kTop{30, 30, 220};  // The upper edge of text, so that its direction shows.
constexpr Colour kPaper{255, 255, 255};

/// Digits as 5 x 7 dots, a row of dots a number of five bits.
constexpr int kDotsWide = 5;
constexpr int kDotsHigh = 7;
constexpr std::array<std::array<std::uint8_t, kDotsHigh>, 10> kDigits{{{14, 17, 19, 21, 25, 17, 14},
                                                                       {4, 12, 4, 4, 4, 4, 14},
                                                                       {14, 17, 1, 2, 4, 8, 31},
                                                                       {31, 2, 4, 2, 1, 17, 14},
                                                                       {2, 6, 10, 18, 31, 2, 2},
                                                                       {31, 16, 30, 1, 1, 17, 14},
                                                                       {6, 8, 16, 30, 17, 17, 14},
                                                                       {31, 1, 2, 4, 8, 8, 8},
                                                                       {14, 17, 17, 14, 17, 17, 14},
                                                                       {14, 17, 17, 15, 1, 2, 12}}};

struct Area {
  int left, top, right, bottom;
  bool overlaps(const Area& o) const {
    return left <= o.right && o.left <= right && top <= o.bottom && o.top <= bottom;
  }
};

Area round(const std::array<Point, 4>& corners) {
  const auto [left, right] = std::minmax({corners[0].x, corners[1].x, corners[2].x, corners[3].x});
  const auto [top, bottom] = std::minmax({corners[0].y, corners[1].y, corners[2].y, corners[3].y});
  return {left, top, right, bottom};
}

/// An outline to be drawn.
struct Shape {
  std::array<Point, 4> corners;
  Colour colour;
  Colour top;
};

class Canvas {
 public:
  explicit Canvas(const Image& image)
      : image_(image), dot_(std::clamp(std::min(image.width, image.height) / 400, 1, 4)) {}

  void line(Point a, const Point& b, const Colour& colour) {
    const int dx = std::abs(b.x - a.x);
    const int dy = -std::abs(b.y - a.y);
    int error = dx + dy;
    for (;;) {
      block(a.x - dot_ / 2, a.y - dot_ / 2, dot_ + 1, dot_ + 1, colour);
      if (a.x == b.x && a.y == b.y) return;
      const int twice = 2 * error;
      if (twice >= dy) {
        error += dy;
        a.x += a.x < b.x ? 1 : -1;
      }
      if (twice <= dx) {
        error += dx;
        a.y += a.y < b.y ? 1 : -1;
      }
    }
  }

  void outline(const std::array<Point, 4>& corners, const Colour& colour, const Colour& top) {
    for (std::size_t i = 4; i-- > 0;) line(corners[i], corners[(i + 1) % 4], i == 0 ? top : colour);
  }

  /// The number on paper, beside the outline that begins at `at`, or in it where it would be over another one.
  void number(std::size_t value, const Area& own, Point at, const std::vector<Area>& all, const Colour& colour) {
    const std::string digits = std::to_string(value);
    const int width = static_cast<int>(digits.size()) * (kDotsWide + 1) * dot_ + dot_;
    const int height = (kDotsHigh + 2) * dot_;
    const auto free = [&](const Point& p) {
      const Area paper{p.x, p.y, p.x + width, p.y + height};
      return p.x >= 0 && p.y >= 0 && paper.right < image_.width && paper.bottom < image_.height &&
             std::none_of(all.begin(), all.end(), [&](const Area& other) { return paper.overlaps(other); });
    };
    const int gap = 2 * dot_;
    const Point left{own.left - width - gap, at.y};
    const Point above{at.x, own.top - height - gap};
    if (free(left)) {
      at = left;
    } else if (free(above)) {
      at = above;
    }
    at.x = std::clamp(at.x, 0, std::max(image_.width - width, 0));
    at.y = std::clamp(at.y, 0, std::max(image_.height - height, 0));
    block(at.x, at.y, width, height, kPaper);
    for (const char digit : digits) {
      const auto& rows = kDigits[static_cast<std::size_t>(digit - '0')];
      for (int y = 0; y < kDotsHigh; ++y) {
        for (int x = 0; x < kDotsWide; ++x) {
          if ((rows[static_cast<std::size_t>(y)] >> (kDotsWide - 1 - x) & 1) != 0) {
            block(at.x + (x + 1) * dot_, at.y + (y + 1) * dot_, dot_, dot_, colour);
          }
        }
      }
      at.x += (kDotsWide + 1) * dot_;
    }
  }

  Image take() { return std::move(image_); }

 private:
  void block(int left, int top, int width, int height, const Colour& colour) {
    for (int y = std::max(top, 0); y < std::min(top + height, image_.height); ++y) {
      for (int x = std::max(left, 0); x < std::min(left + width, image_.width); ++x) {
        std::uint8_t* pixel = image_.row(y) + 3 * x;
        pixel[0] = static_cast<std::uint8_t>(colour.blue);
        pixel[1] = static_cast<std::uint8_t>(colour.green);
        pixel[2] = static_cast<std::uint8_t>(colour.red);
      }
    }
  }

  Image image_;
  int dot_;
};

/// A colour for each class, neighbours far apart: the bits of the number dealt to the channels' highest bits.
Colour class_colour(int id) {
  Colour colour{};
  for (int bit = 7; id > 0 && bit >= 0; --bit, id >>= 3) {
    colour.red |= (id & 1) << bit;
    colour.green |= (id >> 1 & 1) << bit;
    colour.blue |= (id >> 2 & 1) << bit;
  }
  return colour;
}

/// The picture with outlines and their numbers.
Image outlined(const Image& image, const std::vector<Shape>& shapes) {
  Canvas canvas(image);
  std::vector<Area> areas;
  for (const Shape& s : shapes) {
    canvas.outline(s.corners, s.colour, s.top);
    areas.push_back(round(s.corners));
  }
  for (std::size_t i = 0; i < shapes.size(); ++i)
    canvas.number(i + 1, areas[i], shapes[i].corners[0], areas, shapes[i].top);
  return canvas.take();
}

/// The picture and the colours of the classes, half each; class 0 is the picture alone.
Image overlay(const Image& image, const ClassMap& map) {
  Image result = image;
  const std::size_t pixels = std::min(map.classes.size(), result.bgr.size() / 3);
  for (std::size_t i = 0; i < pixels; ++i) {
    if (map.classes[i] <= 0) continue;
    const Colour c = class_colour(map.classes[i]);
    std::uint8_t* pixel = result.bgr.data() + 3 * i;
    pixel[0] = static_cast<std::uint8_t>((pixel[0] + c.blue) / 2);
    pixel[1] = static_cast<std::uint8_t>((pixel[1] + c.green) / 2);
    pixel[2] = static_cast<std::uint8_t>((pixel[2] + c.red) / 2);
  }
  return result;
}

}  // namespace

Image draw(const Image& image, const std::vector<TextLine>& lines) {
  std::vector<Shape> shapes;
  for (const TextLine& line : lines) shapes.push_back({line.corners, kOutline, kTop});
  return outlined(image, shapes);
}

Image draw(const Image& image, const Prediction& prediction) {
  if (prediction.task == Task::kSegmentation) return overlay(image, prediction.map);
  std::vector<Shape> shapes;
  for (const TextBox& box : prediction.boxes) shapes.push_back({box.corners, kOutline, kTop});
  for (const Object& o : prediction.objects) {
    const Point low{static_cast<int>(o.left), static_cast<int>(o.top)};
    const Point high{static_cast<int>(o.right), static_cast<int>(o.bottom)};
    const Colour colour = class_colour(o.id + 1);
    shapes.push_back({{low, {high.x, low.y}, high, {low.x, high.y}}, colour, colour});
  }
  return outlined(image, shapes);
}

}  // namespace coracle::vision
