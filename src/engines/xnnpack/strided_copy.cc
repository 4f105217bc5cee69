// SPDX-License-Identifier: Apache-2.0
#include "strided_copy.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace coracle_xnnpack {
namespace {

/// The two innermost axes in tiles, so that both sides stay in the cache.
constexpr int64_t kTile = 32;
/// Elements.
constexpr size_t kWorthATurn = 16384;

template <class T>
void copy_rows(const CopyAxis& rows, const CopyAxis& columns, const T* from, T* to) {
  if (columns.from == 1 && columns.to == 1 && columns.regular()) {
    for (int64_t r = 0; r < rows.size; ++r) {
      std::memcpy(to + r * rows.to, from + rows.place(r), static_cast<size_t>(columns.size) * sizeof(T));
    }
    return;
  }
  if (!rows.regular() || !columns.regular()) {
    for (int64_t r = 0; r < rows.size; ++r) {
      const T* row = from + rows.place(r);
      for (int64_t c = 0; c < columns.size; ++c) to[r * rows.to + c * columns.to] = row[columns.place(c)];
    }
    return;
  }
  for (int64_t r0 = 0; r0 < rows.size; r0 += kTile) {
    const int64_t r1 = std::min(r0 + kTile, rows.size);
    for (int64_t c0 = 0; c0 < columns.size; c0 += kTile) {
      const int64_t c1 = std::min(c0 + kTile, columns.size);
      for (int64_t r = r0; r < r1; ++r) {
        for (int64_t c = c0; c < c1; ++c) to[r * rows.to + c * columns.to] = from[r * rows.from + c * columns.from];
      }
    }
  }
}

/// What each task does: one index of all axes but the last two.
template <class T>
struct Tasks {
  const std::vector<CopyAxis>* axes;
  const T* from;
  T* to;
};

template <class T>
void run_one(const Tasks<T>* tasks, size_t task) {
  const std::vector<CopyAxis>& axes = *tasks->axes;
  const T* from = tasks->from;
  T* to = tasks->to;
  auto rest = static_cast<int64_t>(task);
  for (size_t a = axes.size() - 2; a-- > 0;) {
    const int64_t i = rest % axes[a].size;
    rest /= axes[a].size;
    from += axes[a].place(i);
    to += i * axes[a].to;
  }
  copy_rows(axes[axes.size() - 2], axes.back(), from, to);
}

template <class T>
void run_tasks(void* context, size_t first, size_t count) {
  for (size_t i = first; i < first + count; ++i) run_one(static_cast<const Tasks<T>*>(context), i);
}

template <class T>
void run_copy(const StridedCopy& copy, const T* from, T* to, pthreadpool_t pool) {
  const std::vector<CopyAxis>& axes = copy.axes;
  Tasks<T> tasks{&axes, from + copy.from_start, to + copy.to_start};
  size_t count = 1;
  for (size_t a = 0; a + 2 < axes.size(); ++a) count *= static_cast<size_t>(axes[a].size);
  // As many at once as are worth a turn of a thread.
  const auto each = static_cast<size_t>(axes[axes.size() - 2].size * axes.back().size);
  const size_t together = std::max<size_t>(kWorthATurn / std::max<size_t>(each, 1), 1);
  if (pool == nullptr || count <= together) return run_tasks<T>(&tasks, 0, count);
  pthreadpool_parallelize_1d_tile_1d(pool, run_tasks<T>, &tasks, count, together, 0);
}

}  // namespace

void StridedCopy::simplify() {
  std::erase_if(axes, [](const CopyAxis& a) { return a.size == 1; });
  std::stable_sort(axes.begin(), axes.end(), [](const CopyAxis& a, const CopyAxis& b) { return a.to > b.to; });
  std::vector<CopyAxis> merged;
  for (const CopyAxis& a : axes) {
    if (!merged.empty() && merged.back().regular() && a.regular() && merged.back().from == a.from * a.size &&
        merged.back().to == a.to * a.size) {
      merged.back() = {merged.back().size * a.size, a.from, a.to};
    } else {
      merged.push_back(a);
    }
  }
  // The source's nearest elements stand before the target's: they are the rows of tiles.
  if (merged.size() > 2 && merged.back().from != 1) {
    const auto nearest = std::min_element(merged.begin(), merged.end() - 1, [](const CopyAxis& a, const CopyAxis& b) {
      return std::abs(a.from) < std::abs(b.from);
    });
    std::rotate(nearest, nearest + 1, merged.end() - 1);
  }
  while (merged.size() < 2) merged.insert(merged.begin(), CopyAxis{});
  // Of two axes alone, long rows are divided into tasks.
  if (merged.size() == 2 && merged[0].size >= 4 * kTile && merged[0].regular()) {
    const int64_t parts = merged[0].size / (2 * kTile);
    if (merged[0].size % parts == 0) {
      const CopyAxis whole = merged[0];
      const int64_t each = whole.size / parts;
      merged[0] = {each, whole.from, whole.to};
      merged.insert(merged.begin(), CopyAxis{parts, whole.from * each, whole.to * each});
    }
  }
  axes = merged;
}

void StridedCopy::run(const void* from, void* to, pthreadpool_t pool) const {
  if (element_bytes == 1) return run_copy(*this, static_cast<const int8_t*>(from), static_cast<int8_t*>(to), pool);
  run_copy(*this, static_cast<const float*>(from), static_cast<float*>(to), pool);
}

}  // namespace coracle_xnnpack
