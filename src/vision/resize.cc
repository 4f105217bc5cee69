// SPDX-License-Identifier: Apache-2.0
#include "vision/resize.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "vision/cubic.h"
#include "vision/limits.h"

namespace coracle::vision {
namespace {

constexpr float kOne = 2048;  // Weights are whole multiples of its inverse.

int fixed(float weight) { return static_cast<int>(std::nearbyint(weight * kOne)); }

/// How the places of the result's pixels are interpolated. kBlocks: what enlarges by area, blocks with soft edges.
enum class Rule { kLinear, kCubic, kLanczos, kBlocks };

constexpr std::size_t tap_count(Rule rule) { return rule == Rule::kLanczos ? 8 : rule == Rule::kCubic ? 4 : 2; }

/// The weights of eight neighbours for a place `x` (0 to 1) between the middle two: sin(pi d) sin(pi d / 4) / (pi d)^2
/// of their distances d, up to a factor that makes their sum 1. sin(pi d) differs by its sign alone, and sin(pi d / 4)
/// follows from one sine and one cosine.
std::array<float, 8> lanczos_weights(float x) {
  constexpr double kHalf = 0.70710678118654752440;  // sin(pi / 4)
  constexpr std::array<std::array<double, 2>, 8> kTurns = {
      {{1, 0}, {-kHalf, -kHalf}, {0, 1}, {kHalf, -kHalf}, {-1, 0}, {kHalf, kHalf}, {0, -1}, {-kHalf, kHalf}}};
  constexpr float kAlone = 1e30F;  // beside it others do not count
  const double quarter = std::numbers::pi * 0.25;
  const double sine = std::sin(-static_cast<double>(x + 3) * quarter);
  const double cosine = std::cos(-static_cast<double>(x + 3) * quarter);
  std::array<float, 8> w{};
  float sum = 0;
  for (std::size_t k = 0; k < 8; ++k) {
    const float distance = x + 3 - static_cast<float>(k);
    const double angle = -static_cast<double>(distance) * quarter;
    w[k] = std::abs(distance) < 1e-6F
               ? kAlone
               : static_cast<float>((kTurns[k][0] * sine + kTurns[k][1] * cosine) / (angle * angle));
    sum += w[k];
  }
  for (float& v : w) v *= 1.0F / sum;
  return w;
}

template <Rule kRule>
auto weights(float place) {
  if constexpr (kRule == Rule::kLanczos) {
    return lanczos_weights(place);
  } else if constexpr (kRule == Rule::kCubic) {
    return cubic_weights(place);
  } else {
    return std::array{1.0F - place, place};
  }
}

/// `stop_at_edge`: places beyond the middle of the last pixels take these alone, which rounds otherwise than two equal
/// neighbours do.
template <Rule kRule>
std::vector<Tap<tap_count(kRule)>> taps(int from, int to, double factor, bool stop_at_edge) {
  constexpr std::size_t kTaps = tap_count(kRule);
  const double scale = 1.0 / factor;
  std::vector<Tap<kTaps>> all(static_cast<std::size_t>(to));
  for (int i = 0; i < to; ++i) {
    float place = static_cast<float>((i + 0.5) * scale - 0.5);
    int first = static_cast<int>(std::floor(place));
    place -= static_cast<float>(first);
    if (kRule == Rule::kBlocks) {
      first = static_cast<int>(std::floor(i * scale));
      place = static_cast<float>((i + 1) - (first + 1) * factor);
      place = place <= 0 ? 0 : place - std::floor(place);
    }
    if (kTaps == 2 && stop_at_edge && (first < 0 || first >= from - 1)) {
      first = first < 0 ? 0 : from - 1;
      place = 0;
    }
    Tap<kTaps>& tap = all[static_cast<std::size_t>(i)];
    const std::array<float, kTaps> w = weights<kRule>(place);
    for (std::size_t k = 0; k < kTaps; ++k) {
      tap.at[k] = std::clamp(first + 1 - static_cast<int>(kTaps / 2) + static_cast<int>(k), 0, from - 1);
      tap.weight[k] = fixed(w[k]);
    }
  }
  return all;
}

/// One row of the picture at the result's width, in units of 1 / kOne.
template <std::size_t N>
void resize_row(const std::uint8_t* row, const std::vector<Tap<N>>& taps, std::vector<int>& out) {
  for (std::size_t x = 0; x < taps.size(); ++x) {
    const Tap<N>& tap = taps[x];
    for (int c = 0; c < 3; ++c) {
      int sum = 0;
      for (std::size_t k = 0; k < N; ++k) sum += row[3 * tap.at[k] + c] * tap.weight[k];
      out[3 * x + static_cast<std::size_t>(c)] = sum;
    }
  }
}

std::uint8_t saturate(int value) { return static_cast<std::uint8_t>(std::clamp(value, 0, 255)); }

/// Rows are made when they are first needed and kept while they may be needed again.
template <std::size_t N>
class Rows {
 public:
  Rows(const Image& image, const std::vector<Tap<N>>& taps) : image_(image), taps_(taps) {
    for (Kept& kept : kept_) kept.values.resize(3 * taps.size());
  }
  const int* row(int y) {
    Kept& kept = kept_[static_cast<std::size_t>(y) % N];
    if (kept.y != y) resize_row(image_.row(y), taps_, kept.values);
    kept.y = y;
    return kept.values.data();
  }

 private:
  struct Kept {
    int y = -1;
    std::vector<int> values;
  };
  const Image& image_;
  const std::vector<Tap<N>>& taps_;
  std::array<Kept, N> kept_;
};

/// The values [begin, end) of a row of the result, with one rounding.
template <std::size_t N>
void join_whole(const std::array<const int*, N>& rows, const Tap<N>& tap, int begin, int end, std::uint8_t* out) {
  for (int i = begin; i < end; ++i) {
    int sum = 1 << 21;
    for (std::size_t k = 0; k < N; ++k) sum += rows[k][i] * tap.weight[k];
    out[i] = saturate(sum >> 22);
  }
}

void join(const std::array<const int*, 8>& rows, const Tap<8>& tap, int values, std::uint8_t* out) {
  join_whole(rows, tap, 0, values, out);
}

/// Whole vectors of eight values are summed as real numbers, what is left of a row as whole ones.
void join(const std::array<const int*, 4>& rows, const Tap<4>& tap, int values, std::uint8_t* out) {
  std::array<float, 4> w{};
  for (std::size_t k = 0; k < 4; ++k) w[k] = static_cast<float>(tap.weight[k]) * (1 / (kOne * kOne));
  const auto [before, a, b, after] = rows;
  const int whole = values / 8 * 8;
  for (int i = 0; i < whole; ++i) {
    float sum = static_cast<float>(b[i]) * w[2] + static_cast<float>(after[i]) * w[3];
    sum = static_cast<float>(a[i]) * w[1] + sum;
    sum = static_cast<float>(before[i]) * w[0] + sum;
    out[i] = saturate(static_cast<int>(std::nearbyint(sum)));
  }
  join_whole(rows, tap, whole, values, out);
}

void join(const std::array<const int*, 2>& rows, const Tap<2>& tap, int values, std::uint8_t* out) {
  join_linear(rows, tap, values, out);
}

/// Of the sides of a picture.
struct Factors {
  double x;
  double y;
};

template <Rule kRule>
Image resize_smooth(const Image& image, int width, int height, Factors by) {
  constexpr std::size_t kTaps = tap_count(kRule);
  const std::vector<Tap<kTaps>> across = taps<kRule>(image.width, width, by.x, true);
  const std::vector<Tap<kTaps>> down = taps<kRule>(image.height, height, by.y, false);
  Rows<kTaps> rows(image, across);
  Image result(width, height);
  for (int y = 0; y < height; ++y) {
    const Tap<kTaps>& tap = down[static_cast<std::size_t>(y)];
    std::array<const int*, kTaps> of_tap{};
    for (std::size_t k = 0; k < kTaps; ++k) of_tap[k] = rows.row(tap.at[k]);
    join(of_tap, tap, 3 * width, result.row(y));
  }
  return result;
}

/// Means of two by two pixels; of fewer where the picture ends within them.
Image halve(const Image& image, int width, int height) {
  Image result(width, height);
  for (int y = 0; y < height; ++y) {
    const std::uint8_t* a = image.row(2 * y);
    const bool two_rows = 2 * y + 1 < image.height;
    const std::uint8_t* b = two_rows ? image.row(2 * y + 1) : a;
    std::uint8_t* out = result.row(y);
    for (int x = 0; x < width; ++x) {
      const bool two_columns = 2 * x + 1 < image.width;
      const int next = two_columns ? 3 : 0;
      for (int c = 0; c < 3; ++c) {
        const int at = 6 * x + c;
        const int sum = a[at] + a[at + next] + b[at] + b[at + next];
        out[3 * x + c] = two_rows && two_columns ? static_cast<std::uint8_t>((sum + 2) >> 2)
                                                 : saturate(static_cast<int>(std::nearbyint(sum / 4.0)));
      }
    }
  }
  return result;
}

/// What of each source pixel a pixel of the result covers along an axis, for results that are smaller.
struct Share {
  int from;
  int to;
  float part;
};

std::vector<Share> shares(int from, int to, double factor) {
  const double scale = 1.0 / factor;
  std::vector<Share> all;
  for (int i = 0; i < to; ++i) {
    const double begin = i * scale;
    const double end = begin + scale;
    const double cell = std::min(scale, from - begin);
    int first = static_cast<int>(std::ceil(begin));
    int last = std::min(static_cast<int>(std::floor(end)), from - 1);
    first = std::min(first, last);
    if (first - begin > 1e-3) all.push_back({first - 1, i, static_cast<float>((first - begin) / cell)});
    for (int s = first; s < last; ++s) all.push_back({s, i, static_cast<float>(1.0 / cell)});
    if (end - last > 1e-3)
      all.push_back({last, i, static_cast<float>(std::min(std::min(end - last, 1.0), cell) / cell)});
  }
  return all;
}

Image shrink_by_area(const Image& image, int width, int height, Factors by) {
  const std::vector<Share> across = shares(image.width, width, by.x);
  const std::vector<Share> down = shares(image.height, height, by.y);
  Image result(width, height);
  const auto values = static_cast<std::size_t>(3 * width);
  std::vector<float> sum(values);
  std::vector<float> row(values);
  const auto store = [&](int y) {
    for (std::size_t i = 0; i < values; ++i) result.row(y)[i] = saturate(static_cast<int>(std::nearbyint(sum[i])));
    std::fill(sum.begin(), sum.end(), 0.0F);
  };
  int y = 0;
  for (const Share& s : down) {
    if (s.to != y) store(y);
    y = s.to;
    std::fill(row.begin(), row.end(), 0.0F);
    const std::uint8_t* from = image.row(s.from);
    for (const Share& a : across) {
      for (int c = 0; c < 3; ++c) {
        row[static_cast<std::size_t>(3 * a.to + c)] += static_cast<float>(from[3 * a.from + c]) * a.part;
      }
    }
    for (std::size_t i = 0; i < values; ++i) sum[i] += s.part * row[i];
  }
  store(y);
  return result;
}

Image pick_nearest(const Image& image, int width, int height, Factors by) {
  Image result(width, height);
  const double sx = 1.0 / by.x;
  const double sy = 1.0 / by.y;
  for (int y = 0; y < height; ++y) {
    const std::uint8_t* from = image.row(std::min(static_cast<int>(y * sy), image.height - 1));
    std::uint8_t* out = result.row(y);
    for (int x = 0; x < width; ++x)
      std::copy_n(from + 3 * std::min(static_cast<int>(x * sx), image.width - 1), 3, out + 3 * x);
  }
  return result;
}

Image resize_with(const Image& image, int width, int height, Factors by, Interpolation interpolation) {
  check_size(width, height);
  if (width == image.width && height == image.height) return image;
  const bool shrinks = by.x <= 1 && by.y <= 1;
  const bool half = by.x == 0.5 && by.y == 0.5;
  switch (interpolation) {
    case Interpolation::kNearest: return pick_nearest(image, width, height, by);
    case Interpolation::kCubic: return resize_smooth<Rule::kCubic>(image, width, height, by);
    case Interpolation::kLanczos: return resize_smooth<Rule::kLanczos>(image, width, height, by);
    case Interpolation::kArea:
      if (half) return halve(image, width, height);
      return shrinks ? shrink_by_area(image, width, height, by)
                     : resize_smooth<Rule::kBlocks>(image, width, height, by);
    case Interpolation::kLinear: break;
  }
  return half ? halve(image, width, height) : resize_smooth<Rule::kLinear>(image, width, height, by);
}

}  // namespace

std::vector<Tap<2>> linear_taps_of_rows(int from, int to) {
  return taps<Rule::kLinear>(from, to, static_cast<double>(to) / from, true);
}

std::vector<Tap<2>> linear_taps_down(int from, int to) {
  return taps<Rule::kLinear>(from, to, static_cast<double>(to) / from, false);
}

void join_linear(const std::array<const int*, 2>& rows, const Tap<2>& tap, int values, std::uint8_t* out) {
  const auto [a, b] = rows;
  for (int i = 0; i < values; ++i) {
    const int upper = (tap.weight[0] * (a[i] >> 4)) >> 16;
    const int lower = (tap.weight[1] * (b[i] >> 4)) >> 16;
    out[i] = saturate((upper + lower + 2) >> 2);
  }
}

Image resize(const Image& image, int width, int height, Interpolation interpolation) {
  return resize_with(image, width, height,
                     {static_cast<double>(width) / image.width, static_cast<double>(height) / image.height},
                     interpolation);
}

Image resize_by(const Image& image, int width, int height, double factor, Interpolation interpolation) {
  return resize_with(image, width, height, {factor, factor}, interpolation);
}

}  // namespace coracle::vision
