// SPDX-License-Identifier: Apache-2.0
#include "vision/canvas.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>

#include "vision/geometry.h"

namespace coracle::vision {
namespace {

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

Area bounds_of(const std::array<Point, 4>& corners) {
  const auto [left, right] = std::minmax({corners[0].x, corners[1].x, corners[2].x, corners[3].x});
  const auto [top, bottom] = std::minmax({corners[0].y, corners[1].y, corners[2].y, corners[3].y});
  return {left, top, right, bottom};
}

bool share_pixels(const Area& a, const Area& b) {
  return a.left <= b.right && b.left <= a.right && a.top <= b.bottom && b.top <= a.bottom;
}

std::pair<int, int> paper_size(const std::string& digits, int dot) {
  return {static_cast<int>(digits.size()) * (kDotsWide + 1) * dot + dot, (kDotsHigh + 2) * dot};
}

}  // namespace

bool overlap(const Area& area, const std::array<Point, 4>& corners) {
  if (!share_pixels(area, bounds_of(corners))) return false;
  // Two convex shapes are apart if a side of one has the other wholly on its outer side.
  const std::array<Point, 4> rectangle{
      Point{area.left, area.top}, {area.right, area.top}, {area.right, area.bottom}, {area.left, area.bottom}};
  for (std::size_t i = 0; i < 4; ++i) {
    const Point& a = corners[i];
    const Point& b = corners[(i + 1) % 4];
    const std::int64_t inner = turn(a, b, corners[(i + 2) % 4]) + turn(a, b, corners[(i + 3) % 4]);
    if (inner == 0) continue;
    const auto outside = [&](const Point& p) { return inner > 0 ? turn(a, b, p) < 0 : turn(a, b, p) > 0; };
    if (std::all_of(rectangle.begin(), rectangle.end(), outside)) return false;
  }
  return true;
}

Canvas::Canvas(const Image& image) : image_(image), dot_(std::clamp(std::min(image.width, image.height) / 400, 1, 4)) {}

void Canvas::line(Point a, const Point& b, const Colour& colour) {
  const int dx = std::abs(b.x - a.x);
  const int dy = -std::abs(b.y - a.y);
  int error = dx + dy;
  for (;;) {
    dot(a, colour);
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

void Canvas::outline(const std::array<Point, 4>& corners, const Colour& colour, const Colour& first) {
  for (std::size_t i = 4; i-- > 0;) line(corners[i], corners[(i + 1) % 4], i == 0 ? first : colour);
}

void Canvas::outline(const Polygon& polygon, const Colour& colour) {
  for (std::size_t i = 0; i < polygon.size(); ++i) line(polygon[i], polygon[(i + 1) % polygon.size()], colour);
}

void Canvas::tint(const std::array<Point, 4>& corners, const Colour& colour) {
  const Area area = bounds_of(corners);
  for (int y = std::max(area.top, 0); y <= std::min(area.bottom, image_.height - 1); ++y) {
    double left = area.right;
    double right = area.left;
    for (std::size_t i = 0; i < 4; ++i) {  // Where the row crosses the sides.
      const Point& a = corners[i];
      const Point& b = corners[(i + 1) % 4];
      if (y < std::min(a.y, b.y) || y > std::max(a.y, b.y)) continue;
      const double x = a.y == b.y ? a.x : a.x + static_cast<double>(b.x - a.x) * (y - a.y) / (b.y - a.y);
      left = std::min({left, x, a.y == b.y ? static_cast<double>(b.x) : x});
      right = std::max({right, x, a.y == b.y ? static_cast<double>(b.x) : x});
    }
    const int last = std::min(static_cast<int>(std::floor(right)), image_.width - 1);
    for (int x = std::max(static_cast<int>(std::ceil(left)), 0); x <= last; ++x) mix(x, y, colour);
  }
}

void Canvas::number(std::size_t value, std::size_t own, const std::vector<std::array<Point, 4>>& all,
                    const Colour& colour) {
  const std::string digits = std::to_string(value);
  const Area box = bounds_of(all[own]);
  const Point& start = all[own][0];
  for (int dot = dot_; dot > 0; --dot) {  // Smaller where there is no place for a larger one.
    const auto [width, height] = paper_size(digits, dot);
    const int gap = 2 * dot_;
    const Point places[] = {{box.left - width - gap, start.y},
                            {start.x, box.top - height - gap},
                            {box.right + gap, start.y},
                            {start.x, box.bottom + gap},
                            {box.left - width - gap, box.top - height},
                            {box.right - width, box.top - height - gap},
                            {box.right - width, box.bottom + gap},
                            {start.x, start.y},
                            {box.left, box.top},
                            {box.right - width, box.bottom - height}};
    for (const Point& p : places) {
      const Area paper{p.x, p.y, p.x + width, p.y + height};
      bool free = is_free(paper);
      for (std::size_t i = 0; free && i < all.size(); ++i) free = i == own || !vision::overlap(paper, all[i]);
      if (!free) continue;
      numbers_.push_back(paper);
      return write(digits, paper, dot, colour);
    }
  }
}

bool Canvas::number(std::size_t value, const Point& middle, const Colour& colour) {
  const std::string digits = std::to_string(value);
  const auto [width, height] = paper_size(digits, dot_);
  const int left = std::clamp(middle.x - width / 2, 0, std::max(image_.width - width - 1, 0));
  const int top = std::clamp(middle.y - height / 2, 0, std::max(image_.height - height - 1, 0));
  const Area paper{left, top, left + width, top + height};
  if (!is_free(paper)) return false;
  numbers_.push_back(paper);
  write(digits, paper, dot_, colour);
  return true;
}

bool Canvas::is_free(const Area& paper) const {
  return paper.left >= 0 && paper.top >= 0 && paper.right < image_.width && paper.bottom < image_.height &&
         std::none_of(numbers_.begin(), numbers_.end(), [&](const Area& n) { return share_pixels(paper, n); });
}

void Canvas::write(const std::string& digits, const Area& paper, int dot, const Colour& colour) {
  block(paper.left, paper.top, paper.right - paper.left, paper.bottom - paper.top, kPaper);
  int left = paper.left;
  for (const char digit : digits) {
    const auto& rows = kDigits[static_cast<std::size_t>(digit - '0')];
    for (int y = 0; y < kDotsHigh; ++y) {
      for (int x = 0; x < kDotsWide; ++x) {
        if ((rows[static_cast<std::size_t>(y)] >> (kDotsWide - 1 - x) & 1) != 0)
          block(left + (x + 1) * dot, paper.top + (y + 1) * dot, dot, dot, colour);
      }
    }
    left += (kDotsWide + 1) * dot;
  }
}

void Canvas::dot(const Point& at, const Colour& colour) {
  block(at.x - dot_ / 2, at.y - dot_ / 2, dot_ + 1, dot_ + 1, colour);
}

void Canvas::mix(int x, int y, const Colour& c) {
  std::uint8_t* pixel = image_.row(y) + 3 * x;
  pixel[0] = static_cast<std::uint8_t>((pixel[0] + c.blue) / 2);
  pixel[1] = static_cast<std::uint8_t>((pixel[1] + c.green) / 2);
  pixel[2] = static_cast<std::uint8_t>((pixel[2] + c.red) / 2);
}

void Canvas::block(int left, int top, int width, int height, const Colour& colour) {
  for (int y = std::max(top, 0); y < std::min(top + height, image_.height); ++y) {
    for (int x = std::max(left, 0); x < std::min(left + width, image_.width); ++x) {
      std::uint8_t* pixel = image_.row(y) + 3 * x;
      pixel[0] = static_cast<std::uint8_t>(colour.blue);
      pixel[1] = static_cast<std::uint8_t>(colour.green);
      pixel[2] = static_cast<std::uint8_t>(colour.red);
    }
  }
}

}  // namespace coracle::vision
