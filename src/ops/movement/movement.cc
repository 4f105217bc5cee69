// SPDX-License-Identifier: Apache-2.0
#include "ops/movement/movement.h"

#include <cstring>

#include "base/long_loop.h"

namespace coracle::internal {
namespace {

struct Wide {
  uint64_t low;
  uint64_t high;
};

/// The innermost dimension as a plain loop, the others by counting.
template <class T>
void walk_and_copy(const RunContext& context, const T* from, const ElementWalk& read, T* to, const ElementWalk& write) {
  if (read.count() == 0) return;
  const int outer = read.rank == 0 ? 0 : read.rank - 1;
  const int64_t n = read.rank == 0 ? 1 : read.size[outer];
  const int64_t read_step = read.rank == 0 ? 1 : read.step[outer];
  const int64_t write_step = write.rank == 0 ? 1 : write.step[outer];
  int64_t at[ElementWalk::kMaxRank] = {};
  int64_t r = read.start;
  int64_t w = write.start;
  constexpr int64_t kLong = 1 << 20;
  const auto copy = [&](size_t begin, size_t end) {
    if (read_step == 1 && write_step == 1) {
      std::memcpy(to + w + begin, from + r + begin, (end - begin) * sizeof(T));
    } else {
      for (auto i = static_cast<int64_t>(begin); i < static_cast<int64_t>(end); ++i) {
        to[w + i * write_step] = from[r + i * read_step];
      }
    }
  };
  LoopCheck check(context);
  while (true) {
    if (n < kLong) {
      check.step(n);
      copy(0, static_cast<size_t>(n));
    } else {
      in_blocks(context, static_cast<size_t>(n), copy);
    }
    int d = outer - 1;
    for (; d >= 0; --d) {
      r += read.step[d];
      w += write.step[d];
      if (++at[d] < read.size[d]) break;
      r -= read.step[d] * read.size[d];
      w -= write.step[d] * read.size[d];
      at[d] = 0;
    }
    if (d < 0) return;
  }
}

}  // namespace

ElementWalk row_major(const Shape& shape) {
  ElementWalk s;
  for (int64_t d : shape) s.push_back(d, 0);
  // Next to a dimension of size 0 others may be so large that steps would overflow.
  int64_t step = shape.count() == 0 ? 0 : 1;
  for (int i = s.rank - 1; i >= 0; --i) {
    s.step[i] = step;
    step *= s.size[i];
  }
  return s;
}

ElementWalk permuted(const ElementWalk& steps, std::span<const int> order) {
  ElementWalk s;
  s.start = steps.start;
  for (int i : order) s.push_back(steps.size[i], steps.step[i]);
  return s;
}

void copy_elements(const RunContext& context, const void* from, const ElementWalk& read, void* to,
                   const ElementWalk& write, size_t element) {
  const auto copy = [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    walk_and_copy(context, static_cast<const T*>(from), read, static_cast<T*>(to), write);
  };
  switch (element) {
    case 1: return copy(static_cast<uint8_t*>(nullptr));
    case 2: return copy(static_cast<uint16_t*>(nullptr));
    case 4: return copy(static_cast<uint32_t*>(nullptr));
    case 8: return copy(static_cast<uint64_t*>(nullptr));
    default: return copy(static_cast<Wide*>(nullptr));
  }
}

void gather_elements(const RunContext& context, const Tensor& from, const ElementWalk& read, Tensor& to) {
  ElementWalk write = read;
  write.start = 0;
  int64_t step = 1;
  for (int i = write.rank - 1; i >= 0; --i) {
    write.step[i] = step;
    step *= write.size[i];
  }
  copy_elements(context, from.raw(), read, to.raw(), write, size_of(from.dtype()));
}

void copy_tensor(const RunContext& context, const Tensor& from, Tensor& to) {
  if (from.is_array() || to.empty_handle()) {
    to = from.is_array() ? from : from.clone(context);
    return;
  }
  require(to.bytes() == from.bytes(), ErrorCode::kRunFailure, "a tensor ", from.dtype(), from.shape(), " stands where ",
          to.dtype(), to.shape(), " was expected");
  copy_in_blocks(context, to.raw(), from.raw(), from.bytes());
}

}  // namespace coracle::internal
