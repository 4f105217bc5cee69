// SPDX-License-Identifier: Apache-2.0
#include "vision/warp.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "vision/cubic.h"
#include "vision/limits.h"

namespace coracle::vision {
namespace {

using Matrix = std::array<double, 9>;  // Row by row.

/// Solves a x = b by elimination, with the largest pivot of each column. False if there is no single solution.
bool solve(std::array<std::array<double, 8>, 8>& a, std::array<double, 8>& b) {
  for (std::size_t i = 0; i < 8; ++i) {
    std::size_t pivot = i;
    for (std::size_t j = i + 1; j < 8; ++j) {
      if (std::abs(a[j][i]) > std::abs(a[pivot][i])) pivot = j;
    }
    if (std::abs(a[pivot][i]) < std::numeric_limits<double>::epsilon() * 100) return false;
    std::swap(a[i], a[pivot]);
    std::swap(b[i], b[pivot]);
    const double inverse = -1 / a[i][i];
    for (std::size_t j = i + 1; j < 8; ++j) {
      const double factor = a[j][i] * inverse;
      for (std::size_t k = i + 1; k < 8; ++k) a[j][k] += factor * a[i][k];
      b[j] += factor * b[i];
    }
  }
  for (std::size_t i = 8; i-- > 0;) {
    double sum = b[i];
    for (std::size_t k = i + 1; k < 8; ++k) sum -= a[i][k] * b[k];
    b[i] = sum / a[i][i];
  }
  return true;
}

/// The projective map that takes `from` to `to`; zeros if there is none.
Matrix projection(const Corners& from, const Corners& to) {
  std::array<std::array<double, 8>, 8> a{};
  std::array<double, 8> b{};
  for (std::size_t i = 0; i < 4; ++i) {
    const double x = static_cast<double>(from[i].x);
    const double y = static_cast<double>(from[i].y);
    const double u = static_cast<double>(to[i].x);
    const double v = static_cast<double>(to[i].y);
    const auto product = [](float p, float q) { return static_cast<double>(-p * q); };  // In float, as OpenCV has it.
    a[i] = {x, y, 1, 0, 0, 0, product(from[i].x, to[i].x), product(from[i].y, to[i].x)};
    a[i + 4] = {0, 0, 0, x, y, 1, product(from[i].x, to[i].y), product(from[i].y, to[i].y)};
    b[i] = u;
    b[i + 4] = v;
  }
  if (!solve(a, b)) return {};
  return {b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], 1};
}

Matrix inverse(const Matrix& m) {
  double d =
      m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) + m[2] * (m[3] * m[7] - m[4] * m[6]);
  if (d == 0) return {};
  d = 1 / d;
  return {(m[4] * m[8] - m[5] * m[7]) * d, (m[2] * m[7] - m[1] * m[8]) * d, (m[1] * m[5] - m[2] * m[4]) * d,
          (m[5] * m[6] - m[3] * m[8]) * d, (m[0] * m[8] - m[2] * m[6]) * d, (m[2] * m[3] - m[0] * m[5]) * d,
          (m[3] * m[7] - m[4] * m[6]) * d, (m[1] * m[6] - m[0] * m[7]) * d, (m[0] * m[4] - m[1] * m[3]) * d};
}

constexpr int kPlaceBits = 5;  // Places between pixels are told apart by 1 / 32.
constexpr int kPlaces = 1 << kPlaceBits;
constexpr int kWeightOne = 1 << 15;

/// Weights of 4 x 4 pixels for each place between the middle ones, in units of 1 / kOne, together kOne.
using Weights = std::array<std::int16_t, 16>;

Weights weights_at(int x, int y) {
  const std::array<float, 4> across = cubic_weights(static_cast<float>(x) * (1.0F / kPlaces));
  const std::array<float, 4> down = cubic_weights(static_cast<float>(y) * (1.0F / kPlaces));
  Weights w{};
  int sum = 0;
  for (std::size_t i = 0; i < 16; ++i) {
    const float value = std::nearbyint(down[i / 4] * across[i % 4] * kWeightOne);
    w[i] = static_cast<std::int16_t>(std::clamp(value, -32768.0F, 32767.0F));
    sum += w[i];
  }
  // What rounding made too much or too little goes to the smallest or the largest of four weights.
  std::size_t least = 10;
  std::size_t most = 10;
  for (const std::size_t i : {10U, 11U, 14U, 15U}) {
    if (w[i] < w[least]) {
      least = i;
    } else if (w[i] > w[most]) {
      most = i;
    }
  }
  std::int16_t& mended = w[sum < kWeightOne ? most : least];
  mended = static_cast<std::int16_t>(mended - (sum - kWeightOne));
  return w;
}

const std::vector<Weights>& all_weights() {
  static const std::vector<Weights> table = [] {
    std::vector<Weights> all;
    for (int i = 0; i < kPlaces * kPlaces; ++i) all.push_back(weights_at(i % kPlaces, i / kPlaces));
    return all;
  }();
  return table;
}

int to_int(double value) {
  constexpr double low = std::numeric_limits<int>::min();
  constexpr double high = std::numeric_limits<int>::max();
  return static_cast<int>(std::nearbyint(std::max(low, std::min(high, value))));
}

/// Where the pixels of a picture are that shows a quadrilateral straight on.
class Seen {
 public:
  Seen(const Corners& from, float wide, float high)
      : map_(inverse(projection(from, {PointF{0, 0}, PointF{wide, 0}, PointF{wide, high}, PointF{0, high}}))),
        block_(kBlockPixels / std::clamp(static_cast<int>(high), 1, kBlockRows)) {}

  /// In units of 1 / kPlaces.
  std::array<int, 2> at(int x, int y) const {
    const int begin = x / block_ * block_;
    const auto sum = [&](std::size_t i) {
      return map_[i] * begin + map_[i + 1] * y + map_[i + 2] + map_[i] * (x - begin);
    };
    const double depth = sum(6);
    const double scale = depth != 0 ? kPlaces / depth : 0;
    return {to_int(sum(0) * scale), to_int(sum(3) * scale)};
  }

 private:
  static constexpr int kBlockPixels = 1024;
  static constexpr int kBlockRows = 16;

  Matrix map_;
  int block_;  ///< columns whose sums begin with that of the first one, as OpenCV adds
};

}  // namespace

Image straighten(const Image& image, const Corners& from, int width, int height) {
  check_size(width, height);
  const Seen seen(from, static_cast<float>(width), static_cast<float>(height));
  const std::vector<Weights>& table = all_weights();
  Image result(width, height);
  for (int y = 0; y < height; ++y) {
    std::uint8_t* out = result.row(y);
    for (int x = 0; x < width; ++x, out += 3) {
      const auto [u, v] = seen.at(x, y);
      const Weights& weights = table[static_cast<std::size_t>((v & (kPlaces - 1)) * kPlaces + (u & (kPlaces - 1)))];
      std::array<int, 3> sum{};
      for (int i = 0; i < 4; ++i) {
        const std::uint8_t* row = image.row(std::clamp((v >> kPlaceBits) - 1 + i, 0, image.height - 1));
        for (int j = 0; j < 4; ++j) {
          const std::uint8_t* pixel =
              row + std::ptrdiff_t{3} * std::clamp((u >> kPlaceBits) - 1 + j, 0, image.width - 1);
          const int weight = weights[static_cast<std::size_t>(4 * i + j)];
          for (std::size_t c = 0; c < 3; ++c) sum[c] += pixel[c] * weight;
        }
      }
      for (std::size_t c = 0; c < 3; ++c)
        out[c] = static_cast<std::uint8_t>(std::clamp((sum[c] + kWeightOne / 2) >> 15, 0, 255));
    }
  }
  return result;
}

Image straighten_linearly(const Image& image, const Corners& from, float wide, float high) {
  const int width = static_cast<int>(wide);
  const int height = static_cast<int>(high);
  check_size(width, height);
  constexpr int kHalf = kPlaces * kPlaces / 2;
  const Seen seen(from, wide, high);
  Image result(width, height);
  for (int y = 0; y < height; ++y) {
    std::uint8_t* out = result.row(y);
    for (int x = 0; x < width; ++x, out += 3) {
      const auto [u, v] = seen.at(x, y);
      std::array<int, 3> sum{};
      for (int i = 0; i < 4; ++i) {
        const int row = (v >> kPlaceBits) + i / 2;
        const int column = (u >> kPlaceBits) + i % 2;
        if (row < 0 || row >= image.height || column < 0 || column >= image.width) continue;
        const int right = u & (kPlaces - 1);
        const int down = v & (kPlaces - 1);
        const int weight = (i % 2 == 1 ? right : kPlaces - right) * (i / 2 == 1 ? down : kPlaces - down);
        const std::uint8_t* pixel = image.row(row) + std::ptrdiff_t{3} * column;
        for (std::size_t c = 0; c < 3; ++c) sum[c] += pixel[c] * weight;
      }
      for (std::size_t c = 0; c < 3; ++c) out[c] = static_cast<std::uint8_t>((sum[c] + kHalf) / (kPlaces * kPlaces));
    }
  }
  return result;
}

void place(const Image& part, const std::array<Point, 4>& corners, Image& onto) {
  const auto w = static_cast<float>(part.width);
  const auto h = static_cast<float>(part.height);
  Corners to;
  for (std::size_t i = 0; i < 4; ++i) to[i] = {static_cast<float>(corners[i].x), static_cast<float>(corners[i].y)};
  const Matrix m = projection(to, {PointF{0, 0}, PointF{w, 0}, PointF{w, h}, PointF{0, h}});
  const auto [left, right] = std::minmax({corners[0].x, corners[1].x, corners[2].x, corners[3].x});
  const auto [top, bottom] = std::minmax({corners[0].y, corners[1].y, corners[2].y, corners[3].y});
  for (int y = std::max(top, 0); y < std::min(bottom, onto.height); ++y) {
    for (int x = std::max(left, 0); x < std::min(right, onto.width); ++x) {
      const double depth = m[6] * x + m[7] * y + m[8];
      const double scale = depth != 0 ? 1 / depth : 0;
      const int u = to_int((m[0] * x + m[1] * y + m[2]) * scale);
      const int v = to_int((m[3] * x + m[4] * y + m[5]) * scale);
      if (u < 0 || v < 0 || u >= part.width || v >= part.height) continue;
      const std::uint8_t* from = part.row(v) + 3 * u;
      std::uint8_t* pixel = onto.row(y) + 3 * x;
      for (int c = 0; c < 3; ++c) pixel[c] = std::min(pixel[c], from[c]);
    }
  }
}

Image quarter_left(const Image& image) {
  Image turned(image.height, image.width);
  for (int y = 0; y < turned.height; ++y) {
    for (int x = 0; x < turned.width; ++x)
      std::copy_n(image.row(x) + 3 * (image.width - 1 - y), 3, turned.row(y) + 3 * x);
  }
  return turned;
}

Image upside_down(const Image& image) {
  Image turned(image.width, image.height);
  for (int y = 0; y < turned.height; ++y) {
    const std::uint8_t* from = image.row(image.height - 1 - y);
    for (int x = 0; x < turned.width; ++x) std::copy_n(from + 3 * (image.width - 1 - x), 3, turned.row(y) + 3 * x);
  }
  return turned;
}

Image turned_exactly(const Image& image, int degrees) {
  if (degrees == 0) return image;
  if (degrees == 90) return quarter_left(image);
  return degrees == 180 ? upside_down(image) : quarter_left(upside_down(image));
}

Image turned(const Image& image, int degrees) {
  if (degrees == 0) return image;
  const bool quarter = degrees != 180;
  Image result(quarter ? image.height : image.width, quarter ? image.width : image.height);
  for (int y = 0; y < result.height; ++y) {
    for (int x = 0; x < result.width; ++x) {
      const int u = degrees == 90 ? image.width - y : degrees == 180 ? image.width - x : y;
      const int v = degrees == 90 ? x : degrees == 180 ? image.height - y : image.height - x;
      if (u < image.width && v < image.height) std::copy_n(image.row(v) + 3 * u, 3, result.row(y) + 3 * x);
    }
  }
  return result;
}

}  // namespace coracle::vision
