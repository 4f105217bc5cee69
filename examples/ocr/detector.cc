// SPDX-License-Identifier: Apache-2.0
#include "detector.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <polyclipping/clipper.hpp>

namespace ocr {
namespace {

constexpr int kLimit = 960;  // The longer side of the picture as the model sees it.
constexpr int kStride = 32;  // Both sides must be multiples of it.
constexpr float kThreshold = 0.3f;
constexpr double kBoxThreshold = 0.6;
constexpr double kUnclipRatio = 1.5;
constexpr std::size_t kMaxCandidates = 1000;
constexpr float kMinSide = 3;
constexpr double kMinBoxSide = 3;
constexpr int kSameRow = 10;
constexpr std::array<float, 3> kMean = {0.485f, 0.456f, 0.406f};
constexpr std::array<float, 3> kDeviation = {0.229f, 0.224f, 0.225f};

using Corners = std::array<cv::Point2f, 4>;

struct Rectangle {
  Corners corners;
  float side;  // The shorter one.
};

int round_to_stride(int side) {
  return std::max(static_cast<int>(std::nearbyint(side / static_cast<double>(kStride))) * kStride, kStride);
}

cv::Size model_size(const cv::Size& size) {
  const int longer = std::max(size.width, size.height);
  const double ratio = longer > kLimit ? static_cast<double>(kLimit) / longer : 1.0;
  return {round_to_stride(static_cast<int>(size.width * ratio)),
          round_to_stride(static_cast<int>(size.height * ratio))};
}

// Plane after plane, with the mean and deviation of the training pictures taken out.
std::vector<float> normalise(const cv::Mat& image) {
  const std::size_t plane = image.total();
  std::vector<float> result(3 * plane);
  for (int channel = 0; channel < 3; ++channel) {
    const auto c = static_cast<std::size_t>(channel);
    std::array<float, 256> table;
    for (std::size_t v = 0; v < table.size(); ++v) {
      table[v] = (static_cast<float>(v) * static_cast<float>(1.0 / 255) - kMean[c]) / kDeviation[c];
    }
    float* out = result.data() + c * plane;
    for (int y = 0; y < image.rows; ++y) {
      const auto* row = image.ptr<cv::Vec3b>(y);
      for (int x = 0; x < image.cols; ++x) *out++ = table[row[x][channel]];
    }
  }
  return result;
}

Rectangle smallest_rectangle(const std::vector<cv::Point>& contour) {
  const cv::RotatedRect rectangle = cv::minAreaRect(contour);
  Corners p;
  rectangle.points(p.data());
  std::stable_sort(p.begin(), p.end(), [](const cv::Point2f& a, const cv::Point2f& b) { return a.x < b.x; });
  if (!(p[1].y > p[0].y)) std::swap(p[0], p[1]);
  if (!(p[3].y > p[2].y)) std::swap(p[2], p[3]);
  return {{p[0], p[2], p[3], p[1]}, std::min(rectangle.size.width, rectangle.size.height)};
}

// Mean probability inside the rectangle.
double score(const cv::Mat& probability, const Corners& corners) {
  const auto [left, right] = std::minmax({corners[0].x, corners[1].x, corners[2].x, corners[3].x});
  const auto [top, bottom] = std::minmax({corners[0].y, corners[1].y, corners[2].y, corners[3].y});
  const int x_low = std::clamp(static_cast<int>(std::floor(left)), 0, probability.cols - 1);
  const int x_high = std::clamp(static_cast<int>(std::ceil(right)), 0, probability.cols - 1);
  const int y_low = std::clamp(static_cast<int>(std::floor(top)), 0, probability.rows - 1);
  const int y_high = std::clamp(static_cast<int>(std::ceil(bottom)), 0, probability.rows - 1);
  const cv::Rect region(x_low, y_low, x_high - x_low + 1, y_high - y_low + 1);
  std::vector<cv::Point> polygon;
  for (const cv::Point2f& corner : corners) {
    polygon.emplace_back(static_cast<int>(corner.x - static_cast<float>(x_low)),
                         static_cast<int>(corner.y - static_cast<float>(y_low)));
  }
  cv::Mat mask = cv::Mat::zeros(region.size(), CV_8UC1);
  cv::fillPoly(mask, std::vector<std::vector<cv::Point>>{polygon}, 1);
  return cv::mean(probability(region), mask)[0];
}

// The rectangle grown by area * ratio / perimeter on each side, with round corners; nothing if it falls apart.
std::optional<std::vector<cv::Point>> unclip(const Corners& corners) {
  ClipperLib::Path path;
  double area = 0;
  double perimeter = 0;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const cv::Point2d a = corners[i];
    const cv::Point2d b = corners[(i + 1) % corners.size()];
    area += a.x * b.y - b.x * a.y;
    perimeter += std::sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y));
    path.emplace_back(static_cast<ClipperLib::cInt>(a.x), static_cast<ClipperLib::cInt>(a.y));
  }
  ClipperLib::ClipperOffset offset;
  offset.AddPath(path, ClipperLib::jtRound, ClipperLib::etClosedPolygon);
  ClipperLib::Paths grown;
  offset.Execute(grown, std::abs(area) / 2 * kUnclipRatio / perimeter);
  if (grown.size() != 1) return std::nullopt;
  std::vector<cv::Point> result;
  for (const ClipperLib::IntPoint& point : grown[0])
    result.emplace_back(static_cast<int>(point.X), static_cast<int>(point.Y));
  return result;
}

// From the probability map's pixels to the picture's; ties go to the even number.
int rescale(float value, int from, int to) {
  const float scaled = std::nearbyint(value / static_cast<float>(from) * static_cast<float>(to));
  return static_cast<int>(std::clamp(scaled, 0.0f, static_cast<float>(to)));
}

std::vector<Box> candidates(const cv::Mat& probability, const cv::Size& size) {
  const cv::Mat mask = probability > static_cast<double>(kThreshold);
  std::vector<std::vector<cv::Point>> contours;
  cv::findContours(mask, contours, cv::RETR_LIST, cv::CHAIN_APPROX_SIMPLE);
  contours.resize(std::min(contours.size(), kMaxCandidates));
  std::vector<Box> boxes;
  for (const std::vector<cv::Point>& contour : contours) {
    const Rectangle inner = smallest_rectangle(contour);
    if (inner.side < kMinSide || score(probability, inner.corners) < kBoxThreshold) continue;
    const std::optional<std::vector<cv::Point>> grown = unclip(inner.corners);
    if (!grown) continue;
    const Rectangle outer = smallest_rectangle(*grown);
    if (outer.side < kMinSide + 2) continue;
    Box box;
    for (std::size_t i = 0; i < box.size(); ++i) {
      box[i].x = rescale(outer.corners[i].x, probability.cols, size.width);
      box[i].y = rescale(outer.corners[i].y, probability.rows, size.height);
    }
    boxes.push_back(box);
  }
  return boxes;
}

// The corners from the top left on, clockwise.
Box clockwise(const Box& box) {
  const auto sum = [](const cv::Point& a, const cv::Point& b) { return a.x + a.y < b.x + b.y; };
  const auto first = std::min_element(box.begin(), box.end(), sum);
  const auto third = std::max_element(box.begin(), box.end(), sum);
  if (first == third) return box;  // A sliver, dropped by its size later.
  std::vector<cv::Point> rest;
  for (auto corner = box.begin(); corner != box.end(); ++corner) {
    if (corner != first && corner != third) rest.push_back(*corner);
  }
  if (rest[1].y - rest[1].x < rest[0].y - rest[0].x) std::swap(rest[0], rest[1]);
  return {*first, rest[0], *third, rest[1]};
}

void clip(Box& box, const cv::Size& size) {
  for (cv::Point& corner : box) {
    corner.x = std::clamp(corner.x, 0, size.width - 1);
    corner.y = std::clamp(corner.y, 0, size.height - 1);
  }
}

bool is_sliver(const Box& box) {
  return std::floor(distance(box[0], box[1])) <= kMinBoxSide || std::floor(distance(box[0], box[3])) <= kMinBoxSide;
}

// From top to bottom; boxes whose tops are close count as one row, from left to right.
void sort_for_reading(std::vector<Box>& boxes) {
  std::stable_sort(boxes.begin(), boxes.end(),
                   [](const Box& a, const Box& b) { return a[0].y != b[0].y ? a[0].y < b[0].y : a[0].x < b[0].x; });
  for (std::size_t i = 1; i < boxes.size(); ++i) {
    for (std::size_t j = i; j > 0; --j) {
      const cv::Point& above = boxes[j - 1][0];
      const cv::Point& below = boxes[j][0];
      if (std::abs(below.y - above.y) >= kSameRow || below.x >= above.x) break;
      std::swap(boxes[j - 1], boxes[j]);
    }
  }
}

}  // namespace

double distance(const cv::Point& a, const cv::Point& b) {
  const double x = a.x - b.x;
  const double y = a.y - b.y;
  return std::sqrt(x * x + y * y);
}

std::vector<Box> Detector::detect(const cv::Mat& image) {
  cv::Mat scaled;
  cv::resize(image, scaled, model_size(image.size()));
  const Tensor output = model_.run(normalise(scaled), {1, 3, scaled.rows, scaled.cols});
  // OpenCV has no view of constant memory; the map is only read.
  const cv::Mat probability(scaled.rows, scaled.cols, CV_32FC1, const_cast<float*>(output.data.data()));
  std::vector<Box> boxes;
  for (const Box& candidate : candidates(probability, image.size())) {
    Box box = clockwise(candidate);
    clip(box, image.size());
    if (!is_sliver(box)) boxes.push_back(box);
  }
  sort_for_reading(boxes);
  return boxes;
}

}  // namespace ocr
