// SPDX-License-Identifier: Apache-2.0
#include "vision/mask.h"

#include <algorithm>
#include <type_traits>

namespace coracle::vision {
namespace {

template <class T>
bool is_inside(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return value >= T{1} || value <= T{-1};
  } else {
    return value != T{};
  }
}

/// Where inside and outside change, as places in the picture column after column. Rows are read as they lie in memory.
template <class T>
std::vector<std::uint32_t> turns_of(const T* plane, int stride, const Part& part, int height) {
  const auto columns = static_cast<std::size_t>(part.right - part.left);
  std::vector<std::vector<std::uint32_t>> of_column(columns);
  std::vector<std::uint8_t> inside(columns);
  const auto place = [&](std::size_t column, int y) {
    return (static_cast<std::uint32_t>(part.left) + static_cast<std::uint32_t>(column)) *
               static_cast<std::uint32_t>(height) +
           static_cast<std::uint32_t>(y);
  };
  for (int y = part.top; y < part.bottom; ++y) {
    const T* row = plane + static_cast<std::ptrdiff_t>(y) * stride + part.left;
    for (std::size_t x = 0; x < columns; ++x) {
      const std::uint8_t now = is_inside(row[x]) ? 1 : 0;
      if (now == inside[x]) continue;
      inside[x] = now;
      of_column[x].push_back(place(x, y));
    }
  }
  std::vector<std::uint32_t> turns;
  for (std::size_t x = 0; x < columns; ++x) {
    if (inside[x] != 0) of_column[x].push_back(place(x, part.bottom));
    for (const std::uint32_t turn : of_column[x]) {
      if (!turns.empty() && turns.back() == turn) {  // The run goes on at the top of the next column.
        turns.pop_back();
      } else {
        turns.push_back(turn);
      }
    }
  }
  return turns;
}

template <class F>
auto with_values(const MaskPlanes& planes, const F& f) {
  switch (planes.dtype) {
    case CORACLE_INT32: return f(static_cast<const std::int32_t*>(planes.data));
    case CORACLE_INT64: return f(static_cast<const std::int64_t*>(planes.data));
    case CORACLE_FLOAT32: return f(static_cast<const float*>(planes.data));
    default: return f(static_cast<const std::uint8_t*>(planes.data));
  }
}

}  // namespace

Mask mask_of(const MaskPlanes& planes, std::size_t index, const Part& part, int width, int height) {
  Part within{std::max(part.left, 0), std::max(part.top, 0), std::min({part.right, width, planes.width}),
              std::min({part.bottom, height, planes.height})};
  within.right = std::max(within.right, within.left);
  within.bottom = std::max(within.bottom, within.top);
  const std::size_t start = index * static_cast<std::size_t>(planes.width) * static_cast<std::size_t>(planes.height);
  const std::vector<std::uint32_t> turns =
      with_values(planes, [&](const auto* values) { return turns_of(values + start, planes.width, within, height); });
  Mask mask{.width = width, .height = height, .counts = {}};
  std::uint32_t last = 0;
  for (const std::uint32_t turn : turns) {
    mask.counts.push_back(turn - last);
    last = turn;
  }
  const std::uint32_t all = static_cast<std::uint32_t>(width) * static_cast<std::uint32_t>(height);
  if (last < all) mask.counts.push_back(all - last);
  return mask;
}

Part bounds(const Mask& mask) {
  const auto height = static_cast<std::uint32_t>(mask.height);
  Part part{mask.width, mask.height, 0, 0};
  std::uint32_t at = 0;
  for (std::size_t i = 0; i < mask.counts.size(); ++i) {
    const std::uint32_t end = at + mask.counts[i];
    if (i % 2 == 1 && end > at) {
      const bool one_column = at / height == (end - 1) / height;
      const auto top = static_cast<int>(one_column ? at % height : 0);
      const auto last = static_cast<int>(one_column ? (end - 1) % height : height - 1);
      part.left = std::min(part.left, static_cast<int>(at / height));
      part.right = std::max(part.right, static_cast<int>((end - 1) / height) + 1);
      part.top = std::min(part.top, top);
      part.bottom = std::max(part.bottom, last + 1);
    }
    at = end;
  }
  return part.right == 0 ? Part{} : part;
}

std::int64_t Mask::area() const {
  std::int64_t inside = 0;
  for (std::size_t i = 1; i < counts.size(); i += 2) inside += counts[i];
  return inside;
}

std::vector<std::uint8_t> Mask::pixels() const {
  const auto across = static_cast<std::size_t>(width);
  const auto down = static_cast<std::size_t>(height);
  std::vector<std::uint8_t> values(across * down);
  std::size_t at = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::size_t end = std::min(at + counts[i], values.size());
    for (; i % 2 == 1 && at < end; ++at) values[at % down * across + at / down] = 1;
    at = end;
  }
  return values;
}

}  // namespace coracle::vision
