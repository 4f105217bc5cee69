// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "ops/relayout.h"
#include "plan/kernel.h"

namespace coracle::cpu::kernels {
namespace {

constexpr int64_t kGrainBytes = 64 << 10;

/// to[c][r] = from[r][c] for a matrix of `rows` x `columns` elements, tile by tile, for columns [begin, end).
template <class T>
void transpose(const T* from, T* to, int64_t rows, int64_t columns, int64_t begin, int64_t end) {
  constexpr int64_t kTile = 16;
  for (int64_t c0 = begin; c0 < end; c0 += kTile) {
    const int64_t c1 = c0 + kTile < end ? c0 + kTile : end;
    for (int64_t r0 = 0; r0 < rows; r0 += kTile) {
      const int64_t r1 = r0 + kTile < rows ? r0 + kTile : rows;
      for (int64_t c = c0; c < c1; ++c) {
        for (int64_t r = r0; r < r1; ++r) to[c * rows + r] = from[r * columns + c];
      }
    }
  }
}

template <class T>
void copy_as(const KernelCall& call) {
  const Fact& in = *call.in[0].fact;
  const Fact& out = *call.out[0].fact;
  const Shape& shape = in.shape;
  const T* from = call.in[0].as<const T>();
  T* to = call.out[0].as<T>();
  const int64_t count = shape.count();
  if (count == 0) return;
  if (in.layout == out.layout) {
    call.pool->parallel_for(count, kGrainBytes / static_cast<int64_t>(sizeof(T)), [&](int64_t begin, int64_t end) {
      std::memcpy(to + begin, from + begin, static_cast<size_t>(end - begin) * sizeof(T));
    });
    return;
  }
  const int64_t batch = shape[0];
  const int64_t channels = shape[1];
  const int64_t pixels = shape.count(2, shape.rank());
  const bool to_last = out.layout == Layout::kChannelsLast;
  const int64_t rows = to_last ? channels : pixels;
  const int64_t columns = to_last ? pixels : channels;
  const int64_t grain = kGrainBytes / static_cast<int64_t>(sizeof(T)) / rows + 1;
  call.pool->parallel_for(batch * columns, grain, [&](int64_t begin, int64_t end) {
    while (begin < end) {
      const int64_t n = begin / columns;
      const int64_t first = begin - n * columns;
      const int64_t last = end - n * columns < columns ? end - n * columns : columns;
      transpose(from + n * rows * columns, to + n * rows * columns, rows, columns, first, last);
      begin = n * columns + last;
    }
  });
}

void run(KernelCall& call) noexcept {
  switch (size_of(call.in[0].fact->dtype)) {
    case 1: copy_as<uint8_t>(call); break;
    case 2: copy_as<uint16_t>(call); break;
    case 4: copy_as<uint32_t>(call); break;
    case 8: copy_as<uint64_t>(call); break;
    default: {
      struct Wide {
        uint64_t halves[2];
      };
      copy_as<Wide>(call);
    }
  }
}

constexpr Kernel kRows[] = {
    {.name = "relayout", .op = &kOpRow<Relayout>, .layout = LayoutRule::kRelayout, .float32 = false, .run = run},
};

}  // namespace

extern const KernelTable relayout;
constinit const KernelTable relayout = {kRows};

}  // namespace coracle::cpu::kernels
