// SPDX-License-Identifier: Apache-2.0
#include "ops/conv_pool/patches.h"

#include <algorithm>
#include <cstring>

#include "devices/cpu/kernels/kernel_table.h"
#include "ops/conv_pool/fold.h"
#include "ops/conv_pool/unfold.h"

/// Windows of an image as columns, and back: the results of one filter element over a row of windows are a piece of a
/// row of the image.
namespace coracle::internal::cpu::kernels::patches {
namespace {

struct State {
  int64_t planes = 0;
  int64_t height = 0, width = 0;  ///< of the image
  int64_t rows = 0, columns = 0;  ///< of windows
  int64_t kernel[2] = {1, 1}, stride[2] = {1, 1}, begin[2] = {0, 0}, dilation[2] = {1, 1};
};

RejectionReason fits(const void*, const ArgFacts& args) {
  return args.out().shape.count() == 0 || args.shape(0).count() == 0 ? "no elements" : nullptr;
}

template <class Op>
Prepared prepare(const void* op_attributes, const ArgFacts& args, PrepareContext&) {
  const auto& op = *static_cast<const Op*>(op_attributes);
  const Shape& image = std::is_same_v<Op, Fold> ? args.out().shape : args.shape(0);
  const Patches p(op.kernel_sizes, op.strides, op.paddings, op.dilations);
  State s;
  s.planes = image[0] * image[1];
  s.height = image[2];
  s.width = image[3];
  s.rows = p.windows(s.height, 0);
  s.columns = p.windows(s.width, 1);
  for (int i = 0; i < 2; ++i) {
    s.kernel[i] = p.kernel[i];
    s.stride[i] = p.stride[i];
    s.begin[i] = p.begin[i];
    s.dilation[i] = p.dilation[i];
  }
  return prepared(s);
}

/// The windows [first, last) of `count` whose element at `offset` from their start lies inside `size` elements.
struct Inside {
  int64_t first;
  int64_t last;
};
Inside inside(int64_t offset, int64_t stride, int64_t count, int64_t size) {
  const int64_t first = offset >= 0 ? 0 : (-offset + stride - 1) / stride;
  const int64_t room = size - offset;  // window w lies inside where w * stride < room
  const int64_t last = room <= 0 ? 0 : (room + stride - 1) / stride;
  return {std::min(first, count), std::clamp(last, std::min(first, count), count)};
}

/// f(row of windows' elements, row of the image at the first window's element or null where outside, inside) for each
/// filter element and row of windows of a plane.
template <class F>
void each_line(const State& s, const F& f) {
  for (int64_t k = 0; k < s.kernel[0] * s.kernel[1]; ++k) {
    const int64_t across = k % s.kernel[1] * s.dilation[1] - s.begin[1];
    const Inside columns = inside(across, s.stride[1], s.columns, s.width);
    for (int64_t r = 0; r < s.rows; ++r) {
      const int64_t h = r * s.stride[0] - s.begin[0] + k / s.kernel[1] * s.dilation[0];
      f((k * s.rows + r) * s.columns, h >= 0 && h < s.height, h * s.width + across, columns);
    }
  }
}

/// What one filter element reads of a plane where as many windows lie side by side as pixels, all of them one step
/// apart: a piece of the plane, less what lies beyond its sides.
void unfold_shifted(const State& s, int64_t element, const float* x, float* to) {
  const int64_t across = element % s.kernel[1] * s.dilation[1] - s.begin[1];
  const int64_t down = element / s.kernel[1] * s.dilation[0] - s.begin[0];
  const Inside columns = inside(across, 1, s.columns, s.width);
  const Inside rows = inside(down, 1, s.rows, s.height);
  const int64_t size = s.rows * s.columns;
  if (rows.first == rows.last || columns.first == columns.last) {
    std::fill_n(to, size, 0.0F);
    return;
  }
  const int64_t begin = rows.first * s.columns + columns.first;
  const int64_t end = (rows.last - 1) * s.columns + columns.last;
  std::fill_n(to, begin, 0.0F);
  std::copy_n(x + begin + down * s.width + across, end - begin, to + begin);
  std::fill_n(to + end, size - end, 0.0F);
  for (int64_t r = rows.first; r < rows.last; ++r) {
    float* line = to + r * s.columns;
    for (int64_t c = 0; c < columns.first; ++c) line[c] = 0;
    for (int64_t c = columns.last; c < s.columns; ++c) line[c] = 0;
  }
}

void unfold_line(const State& s, const float* x, bool exists, const Inside& columns, float* to) {
  if (!exists) {
    std::fill_n(to, s.columns, 0.0F);
    return;
  }
  std::fill_n(to, columns.first, 0.0F);
  std::fill_n(to + columns.last, s.columns - columns.last, 0.0F);
  const int64_t step = s.stride[1];
  if (step == 1) {
    std::copy(x + columns.first, x + columns.last, to + columns.first);
  } else {
    for (int64_t c = columns.first; c < columns.last; ++c) to[c] = x[c * step];
  }
}

void run_unfold(KernelCall& call) noexcept {
  const State& s = state_of<State>(call);
  const int64_t elements = s.kernel[0] * s.kernel[1];
  const int64_t size = elements * s.rows * s.columns;
  const bool shifted = s.stride[0] == 1 && s.stride[1] == 1 && s.columns == s.width;
  call.pool->parallel_for(s.planes, grain_of(size), [&](int64_t begin, int64_t end) {
    for (int64_t plane = begin; plane < end; ++plane) {
      const float* x = call.in[0].as<const float>() + plane * s.height * s.width;
      float* y = call.out[0].as<float>() + plane * size;
      if (shifted) {
        for (int64_t e = 0; e < elements; ++e) unfold_shifted(s, e, x, y + e * s.rows * s.columns);
      } else {
        each_line(s, [&](int64_t line, bool exists, int64_t at, const Inside& columns) {
          unfold_line(s, x + at, exists, columns, y + line);
        });
      }
    }
  });
}

void run_fold(KernelCall& call) noexcept {
  const State& s = state_of<State>(call);
  const int64_t size = s.kernel[0] * s.kernel[1] * s.rows * s.columns;
  call.pool->parallel_for(s.planes, grain_of(size), [&](int64_t begin, int64_t end) {
    for (int64_t plane = begin; plane < end; ++plane) {
      const float* x = call.in[0].as<const float>() + plane * size;
      float* y = call.out[0].as<float>() + plane * s.height * s.width;
      std::fill_n(y, s.height * s.width, 0.0F);
      each_line(s, [&](int64_t line, bool exists, int64_t at, const Inside& columns) {
        if (!exists) return;
        const float* from = x + line;
        const int64_t step = s.stride[1];
        if (step == 1) {
          float* to = y + at;
          for (int64_t c = columns.first; c < columns.last; ++c) to[c] += from[c];
        } else {
          for (int64_t c = columns.first; c < columns.last; ++c) y[at + c * step] += from[c];
        }
      });
    }
  });
}

constexpr std::array<KernelDef, 2> kKernels = {
    KernelDef{.name = kernel_name<Unfold, Isa::kAny>(),
              .op = &kOpSchema<Unfold>,
              .fits = fits,
              .prepare = prepare<Unfold>,
              .run = run_unfold},
    KernelDef{.name = kernel_name<Fold, Isa::kAny>(),
              .op = &kOpSchema<Fold>,
              .fits = fits,
              .prepare = prepare<Fold>,
              .run = run_fold},
};

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = kernel_table<kKernels>();

}  // namespace coracle::internal::cpu::kernels::patches
