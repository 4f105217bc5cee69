// SPDX-License-Identifier: Apache-2.0
#include "vision/resample.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "vision/limits.h"

namespace coracle::vision {
namespace {

constexpr int kWeightBits = 22;  // Weights are whole multiples of 2^-22.

/// How much of a pixel counts at a distance from the middle of the result's, in units of its size.
struct Filter {
  double support;
  double (*weight)(double distance);
};

double box(double x) { return x > -0.5 && x <= 0.5 ? 1 : 0; }

double triangle(double x) { return std::max(1 - std::abs(x), 0.0); }

double cubic(double x) {
  constexpr double kSlope = -0.5;
  x = std::abs(x);
  if (x < 1) return ((kSlope + 2) * x - (kSlope + 3)) * x * x + 1;
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * kSlope : 0;
}

double sinc(double x) { return x == 0 ? 1 : std::sin(x * std::numbers::pi) / (x * std::numbers::pi); }

double lanczos(double x) { return -3 <= x && x < 3 ? sinc(x) * sinc(x / 3) : 0; }

/// What a place of the result is made of: pixels from `first` on with these weights.
struct Taps {
  int first;
  std::vector<int> weights;
};

std::vector<Taps> filter_taps(int from, int to, const Filter& filter) {
  const double scale = static_cast<double>(from) / to;
  const double reach = std::max(scale, 1.0);
  const double support = filter.support * reach;
  std::vector<Taps> all(static_cast<std::size_t>(to));
  std::vector<double> exact;
  for (int i = 0; i < to; ++i) {
    const double centre = (i + 0.5) * scale;
    const int first = std::max(static_cast<int>(std::lround(centre - support)), 0);
    const int end = std::min(static_cast<int>(std::lround(centre + support)), from);
    exact.clear();
    double sum = 0;
    for (int x = first; x < end; ++x) {
      exact.push_back(filter.weight((x - centre + 0.5) * (1 / reach)));
      sum += exact.back();
    }
    Taps& t = all[static_cast<std::size_t>(i)];
    t.first = first;
    for (const double w : exact) {
      const double part = (sum != 0 ? w / sum : w) * (1 << kWeightBits);
      t.weights.push_back(static_cast<int>(std::lround(part)));
    }
  }
  return all;
}

std::uint8_t shifted_back(int sum) { return static_cast<std::uint8_t>(std::clamp(sum >> kWeightBits, 0, 255)); }

Image resample_rows(const Image& image, int width, const Filter& filter) {
  const std::vector<Taps> across = filter_taps(image.width, width, filter);
  Image result(width, image.height);
  for (int y = 0; y < image.height; ++y) {
    std::uint8_t* out = result.row(y);
    for (const Taps& t : across) {
      const std::uint8_t* from = image.row(y) + std::ptrdiff_t{3} * t.first;
      for (int c = 0; c < 3; ++c) {
        int sum = 1 << (kWeightBits - 1);
        for (std::size_t k = 0; k < t.weights.size(); ++k)
          sum += from[3 * k + static_cast<std::size_t>(c)] * t.weights[k];
        *out++ = shifted_back(sum);
      }
    }
  }
  return result;
}

Image resample_columns(const Image& image, int height, const Filter& filter) {
  const std::vector<Taps> down = filter_taps(image.height, height, filter);
  Image result(image.width, height);
  std::vector<int> sums(static_cast<std::size_t>(3 * image.width));
  for (int y = 0; y < height; ++y) {
    const Taps& t = down[static_cast<std::size_t>(y)];
    std::fill(sums.begin(), sums.end(), 1 << (kWeightBits - 1));
    for (std::size_t k = 0; k < t.weights.size(); ++k) {
      const std::uint8_t* from = image.row(t.first + static_cast<int>(k));
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += from[i] * t.weights[k];
    }
    std::transform(sums.begin(), sums.end(), result.row(y), shifted_back);
  }
  return result;
}

/// The source of each place, found by steps whose errors add up as they do in Pillow.
std::vector<int> nearest(int from, int to) {
  const double scale = static_cast<double>(from) / to;
  double place = scale * 0.5;
  std::vector<int> all;
  for (int i = 0; i < to; ++i, place += scale) all.push_back(std::min(static_cast<int>(place), from - 1));
  return all;
}

Image pick(const Image& image, int width, int height) {
  const std::vector<int> across = nearest(image.width, width);
  const std::vector<int> down = nearest(image.height, height);
  Image result(width, height);
  for (int y = 0; y < height; ++y) {
    const std::uint8_t* from = image.row(down[static_cast<std::size_t>(y)]);
    std::uint8_t* out = result.row(y);
    for (const int x : across) out = std::copy_n(from + std::ptrdiff_t{3} * x, 3, out);
  }
  return result;
}

Filter filter_of(Interpolation interpolation) {
  switch (interpolation) {
    case Interpolation::kCubic: return {2, cubic};
    case Interpolation::kArea: return {0.5, box};
    case Interpolation::kLanczos: return {3, lanczos};
    default: return {1, triangle};
  }
}

}  // namespace

Image resample(const Image& image, int width, int height, Interpolation interpolation) {
  check_size(width, height);
  if (width == image.width && height == image.height) return image;
  if (interpolation == Interpolation::kNearest) return pick(image, width, height);
  const Filter filter = filter_of(interpolation);
  const Image wide = width == image.width ? image : resample_rows(image, width, filter);
  return height == image.height ? wide : resample_columns(wide, height, filter);
}

}  // namespace coracle::vision
