// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "coracle/vision/document_reader.h"
#include "vision/draw_parts.h"
#include "vision/resize.h"

namespace coracle::vision {
namespace {

constexpr Colour kOutline{40, 160, 40};
constexpr Colour kTop{30, 30, 220};  // The upper edge of text, so that its direction shows.

/// An outline to be drawn.
struct Shape {
  std::array<Point, 4> corners;
  Colour colour;
  Colour top;
  Polygon polygon{};  ///< drawn instead of the corners, where there is one
};

/// The picture with outlines and their numbers.
Image outlined(const Image& image, const std::vector<Shape>& shapes) {
  Canvas canvas(image);
  std::vector<std::array<Point, 4>> all;
  for (const Shape& s : shapes) {
    if (s.polygon.empty()) {
      canvas.outline(s.corners, s.colour, s.top);
    } else {
      canvas.outline(s.polygon, s.colour);
    }
    all.push_back(s.corners);
  }
  for (std::size_t i = 0; i < shapes.size(); ++i) canvas.number(i + 1, i, all, shapes[i].top);
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

/// The marks of anomalies as a class.
Image overlay(const Image& image, const AnomalyMap& anomaly) {
  ClassMap map;
  const std::vector<int> marks(anomaly.marked.begin(), anomaly.marked.end());
  map.classes = resize_nearest(marks, anomaly.width, anomaly.height, image.width, image.height);
  return overlay(image, map);
}

std::vector<Shape> shapes_of(const std::vector<TextLine>& lines) {
  std::vector<Shape> shapes;
  for (const TextLine& line : lines) shapes.push_back({line.corners, kOutline, kTop, line.polygon});
  return shapes;
}

}  // namespace

/// The bits of the number dealt to the channels' highest bits.
Colour class_colour(int id) {
  Colour colour{};
  for (int bit = 7; id > 0 && bit >= 0; --bit, id >>= 3) {
    colour.red |= (id & 1) << bit;
    colour.green |= (id >> 1 & 1) << bit;
    colour.blue |= (id >> 2 & 1) << bit;
  }
  return colour;
}

std::array<Point, 4> corners_of(const Object& o) {
  if (o.corners) {
    std::array<Point, 4> corners;
    for (std::size_t i = 0; i < corners.size(); ++i)
      corners[i] = {static_cast<int>((*o.corners)[2 * i]), static_cast<int>((*o.corners)[2 * i + 1])};
    return corners;
  }
  const Point low{static_cast<int>(o.left), static_cast<int>(o.top)};
  const Point high{static_cast<int>(o.right), static_cast<int>(o.bottom)};
  return {low, {high.x, low.y}, high, {low.x, high.y}};
}

Image draw(const Image& image, const std::vector<TextLine>& lines) { return outlined(image, shapes_of(lines)); }

Image draw(const Image& image, const Prediction& prediction) {
  if (prediction.task == Task::kSegmentation) return overlay(image, prediction.map);
  if (prediction.task == Task::kAnomaly) return overlay(image, prediction.anomaly);
  if (prediction.task == Task::kUnwarping) return prediction.page;
  if (prediction.task == Task::kKeypoints) return draw_keypoints(image, prediction.keypoints, prediction.bones);
  if (prediction.task == Task::kInstanceSegmentation) return draw_masks(image, prediction.objects);
  std::vector<Shape> shapes;
  for (const TextBox& box : prediction.boxes) shapes.push_back({box.corners, kOutline, kTop, box.polygon});
  for (const Object& o : prediction.objects)
    shapes.push_back({corners_of(o), class_colour(o.id + 1), class_colour(o.id + 1)});
  for (const std::array<Point, 4>& cell : prediction.table.cells) shapes.push_back({cell, kOutline, kOutline});
  return outlined(image, shapes);
}

Image draw(const Document& document) {
  Canvas regions(document.page);
  for (const Object& o : document.regions)
    regions.outline(corners_of(o), class_colour(o.id + 1), class_colour(o.id + 1));
  for (const Seal& seal : document.seals) {
    for (const TextLine& line : seal.lines) {
      if (line.polygon.empty()) {
        regions.outline(line.corners, kOutline, kTop);
      } else {
        regions.outline(line.polygon, kOutline);
      }
    }
  }
  return outlined(regions.take(), shapes_of(document.lines));
}

}  // namespace coracle::vision
