// SPDX-License-Identifier: Apache-2.0
// Lines, fillings and numbers on a picture.
#pragma once

#include "coracle/vision/predictor.h"
#include "vision/geometry.h"

namespace coracle::vision {

struct Colour {
  int blue, green, red;
};

/// A rectangle of whole pixels, its right and lower sides included.
struct Area {
  int left, top, right, bottom;
};

/// Whether a rectangle and a convex quadrilateral share more than nothing.
bool overlap(const Area& area, const std::array<Point, 4>& corners);

class Canvas {
 public:
  explicit Canvas(const Image& image);

  void line(Point a, const Point& b, const Colour& colour);
  /// The first side in another colour.
  void outline(const std::array<Point, 4>& corners, const Colour& colour, const Colour& first);
  void outline(const Polygon& polygon, const Colour& colour);
  /// The inside of a convex quadrilateral, mixed half and half with what is there.
  void tint(const std::array<Point, 4>& corners, const Colour& colour);
  /// The number of a quadrilateral on paper, beside it or in it: where it covers nothing of the others of `all` and no
  /// number written before. Left out where there is no such place.
  void number(std::size_t value, std::size_t own, const std::vector<std::array<Point, 4>>& all, const Colour& colour);

  /// A mask of the picture, mixed half and half with what is there, with its outline.
  void mask(const Mask& mask, const Colour& colour);
  /// A point as thick as lines.
  void dot(const Point& at, const Colour& colour);

  /// A number on paper about a point, pushed into the picture; false where one has been written before.
  bool number(std::size_t value, const Point& middle, const Colour& colour);

  Image take() { return std::move(image_); }

 private:
  void mix(int x, int y, const Colour& colour);
  void block(int left, int top, int width, int height, const Colour& colour);
  /// Whether paper fits into the picture and covers no number.
  bool is_free(const Area& paper) const;
  void write(const std::string& digits, const Area& paper, int dot, const Colour& colour);

  Image image_;
  int dot_;
  std::vector<Area> numbers_;
};

}  // namespace coracle::vision
