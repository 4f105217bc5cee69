// SPDX-License-Identifier: Apache-2.0
#include "vision/keypoints.h"

#include <algorithm>
#include <cmath>

namespace coracle::vision {
namespace {

constexpr float kLeastHeat = 1e-10F;  // What logarithms are taken of is at least that.

/// A heat map: zero outside.
struct Plane {
  const float* values;
  int width;
  int height;

  double at(int x, int y) const {
    const bool inside = x >= 0 && y >= 0 && x < width && y < height;
    return inside ? static_cast<double>(values[static_cast<std::ptrdiff_t>(y) * width + x]) : 0;
  }
  /// The mean of 3 x 3 by the weights 1, 2, 1.
  float smooth(int x, int y) const {
    const auto row = [&](int at_y) { return 0.5 * at(x, at_y) + 0.25 * (at(x - 1, at_y) + at(x + 1, at_y)); };
    return static_cast<float>(0.5 * row(y) + 0.25 * (row(y - 1) + row(y + 1)));
  }
};

/// The smoothed map at its old height, as logarithms.
class Logarithms {
 public:
  Logarithms(const Plane& plane, float most) : plane_(plane) {
    float smoothed = plane.smooth(0, 0);
    for (int y = 0; y < plane.height; ++y) {
      for (int x = 0; x < plane.width; ++x) smoothed = std::max(smoothed, plane.smooth(x, y));
    }
    factor_ = most / smoothed;
  }
  double at(int x, int y) const {
    return static_cast<double>(std::log(std::max(plane_.smooth(x, y) * factor_, kLeastHeat)));
  }

 private:
  Plane plane_;
  float factor_;
};

/// One step of Newton's method from the hottest place to the top.
PointF refined(const Logarithms& h, int x, int y, int width, int height) {
  const PointF start{static_cast<float>(x), static_cast<float>(y)};
  if (!(x > 1 && x < width - 2 && y > 1 && y < height - 2)) return start;
  const double dx = 0.5 * (h.at(x + 1, y) - h.at(x - 1, y));
  const double dy = 0.5 * (h.at(x, y + 1) - h.at(x, y - 1));
  const double dxx = 0.25 * (h.at(x + 2, y) - 2 * h.at(x, y) + h.at(x - 2, y));
  const double dyy = 0.25 * (h.at(x, y + 2) - 2 * h.at(x, y) + h.at(x, y - 2));
  const double dxy = 0.25 * (h.at(x + 1, y + 1) - h.at(x + 1, y - 1) - h.at(x - 1, y + 1) + h.at(x - 1, y - 1));
  const double determinant = dxx * dyy - dxy * dxy;
  if (determinant == 0) return start;
  return {start.x - static_cast<float>((dyy * dx - dxy * dy) / determinant),
          start.y - static_cast<float>((dxx * dy - dxy * dx) / determinant)};
}

std::string name_of_point(std::size_t id, std::size_t points, const Description& d) {
  if (d.labels.size() == points) return d.labels[id];  // One name for all is that of the person.
  const Skeleton skeleton = skeleton_of(points);
  return id < skeleton.names.size() ? skeleton.names[id] : std::to_string(id);
}

}  // namespace

Placement person_placement(int picture_width, int picture_height, int width, int height) {
  const double scale = static_cast<double>(width) / picture_width;
  return {scale, width / 2.0 - scale * (picture_width / 2.0), scale, height / 2.0 - scale * (picture_height / 2.0)};
}

std::vector<Keypoint> keypoints(const float* maps, std::size_t points, int width, int height, int picture_width,
                                int picture_height, const Description& d) {
  const Placement back = person_placement(width, height, picture_width, picture_height);
  const std::ptrdiff_t size = static_cast<std::ptrdiff_t>(width) * height;
  std::vector<Keypoint> found;
  for (std::size_t id = 0; id < points; ++id, maps += size) {
    const std::ptrdiff_t hottest = std::max_element(maps, maps + size) - maps;
    const float most = maps[hottest];
    PointF place;
    if (most > 0) {
      place = refined(Logarithms({maps, width, height}, most), static_cast<int>(hottest % width),
                      static_cast<int>(hottest / width), width, height);
    }
    const auto to = [](float at, double scale, double shift) {
      return static_cast<float>(static_cast<double>(at) * scale + shift);
    };
    found.push_back({.id = static_cast<int>(id),
                     .name = name_of_point(id, points, d),
                     .score = most,
                     .x = to(place.x, back.scale_x, back.shift_x),
                     .y = to(place.y, back.scale_y, back.shift_y)});
  }
  return found;
}

std::vector<Keypoint> keypoints_of(const Output& maps, const Prepared& prepared, const Description& d,
                                   std::vector<std::array<int, 2>>& bones) {
  if (maps.dims.size() != 4 || maps.dims[0] != 1 || maps.size == 0) {
    std::string dims;
    for (const std::int64_t dim : maps.dims) dims.append(dims.empty() ? "" : ", ").append(std::to_string(dim));
    throw Error(Problem::kDescription, (d.file.empty() ? std::string() : d.file + ": ") + "an output for " +
                                           task_name(d.task) + " is [1, points, height, width], the model gives [" +
                                           dims + "]");
  }
  const auto points = static_cast<std::size_t>(maps.dims[1]);
  const std::vector<Keypoint> all =
      keypoints(maps.data, points, static_cast<int>(maps.dims[3]), static_cast<int>(maps.dims[2]),
                prepared.picture_width, prepared.picture_height, d);
  std::vector<Keypoint> kept;
  std::vector<int> places(points, -1);
  for (const Keypoint& k : all) {
    if (k.score < d.threshold) continue;
    places[static_cast<std::size_t>(k.id)] = static_cast<int>(kept.size());
    kept.push_back(k);
  }
  for (const auto& [a, b] : skeleton_of(points).bones) {
    const int from = places[static_cast<std::size_t>(a)];
    const int to = places[static_cast<std::size_t>(b)];
    if (from >= 0 && to >= 0) bones.push_back({from, to});
  }
  return kept;
}

}  // namespace coracle::vision
