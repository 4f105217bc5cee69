// SPDX-License-Identifier: Apache-2.0
#include "ops/movement/relayout.h"

#include <cstring>

#include "base/copy_bytes.h"
#include "devices/cpu/isa/transpose.h"
#include "devices/cpu/kernel_isa.h"
#include "devices/cpu/kernels/kernel_table.h"

/// Brings images from one element order into the other: one matrix transposition each, shared among threads by pixels.
namespace coracle::internal::cpu::kernels::relayout {
namespace {

struct State {
  const TransposeFunctions* functions = nullptr;  ///< null: portable code, for elements of any size
  int64_t element = 4;
  bool copy = false;  ///< both orders are the same
  bool to_last = false;
  int64_t batch = 1;
  int64_t channels = 1;
  int64_t pixels = 1;
};

State state_for(const ArgFacts& args) {
  const Fact& in = args.in(0);
  const Shape& shape = in.shape;
  State s;
  s.element = static_cast<int64_t>(size_of(in.dtype));
  s.copy = in.layout == args.out().layout || shape.rank() < 3;
  s.to_last = args.out().layout == Layout::kChannelsLast;
  if (s.copy) {
    s.pixels = shape.count();
    return s;
  }
  s.batch = shape[0];
  s.channels = shape[1];
  s.pixels = shape.count(2, shape.rank());
  return s;
}

/// to[c][r] = from[r][c] for a part of a matrix, element by element.
void transpose_plain(const State& s, const char* from, int64_t from_stride, char* to, int64_t to_stride, int64_t rows,
                     int64_t columns) {
  const auto bytes = static_cast<size_t>(s.element);
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      std::memcpy(to + (c * to_stride + r) * s.element, from + (r * from_stride + c) * s.element, bytes);
    }
  }
}

/// Pixels [begin, end), counted through all images.
void relayout_pixels(const State& s, const char* from, char* to, int64_t begin, int64_t end) {
  while (begin < end) {
    const int64_t image = begin / s.pixels;
    const int64_t first = begin - image * s.pixels;
    const int64_t count = end - begin < s.pixels - first ? end - begin : s.pixels - first;
    // The pixels are columns of [channels, pixels] or rows of [pixels, channels].
    const int64_t planar = (image * s.channels * s.pixels + first) * s.element;
    const int64_t last = begin * s.channels * s.element;
    const char* x = from + (s.to_last ? planar : last);
    char* y = to + (s.to_last ? last : planar);
    const int64_t x_stride = s.to_last ? s.pixels : s.channels;
    const int64_t y_stride = s.to_last ? s.channels : s.pixels;
    const int64_t rows = s.to_last ? s.channels : count;
    const int64_t columns = s.to_last ? count : s.channels;
    if (s.functions == nullptr) {
      transpose_plain(s, x, x_stride, y, y_stride, rows, columns);
    } else {
      s.functions->matrix(static_cast<size_t>(s.element), x, static_cast<size_t>(x_stride), y,
                          static_cast<size_t>(y_stride), static_cast<size_t>(rows), static_cast<size_t>(columns));
    }
    begin += count;
  }
}

void run(KernelCall& call) noexcept {
  const State& s = state_of<State>(call);
  const char* from = call.in[0].as<const char>();
  char* to = call.out[0].as<char>();
  if (s.batch * s.channels * s.pixels == 0) return;
  call.pool->parallel_for(s.batch * s.pixels, grain_of(s.channels * s.element / 4), [&](int64_t begin, int64_t end) {
    if (s.copy) {
      copy_bytes(to + begin * s.element, from + begin * s.element, static_cast<size_t>((end - begin) * s.element));
    } else {
      relayout_pixels(s, from, to, begin, end);
    }
  });
}

void run_rows(const KernelCall& call, int64_t begin, int64_t end) noexcept {
  const int64_t width = call.out[0].fact->shape[3];
  relayout_pixels(state_of<State>(call), call.in[0].as<const char>(), call.out[0].as<char>(), begin * width,
                  end * width);
}

Prepared prepare(const void*, const ArgFacts& args, PrepareContext&) {
  State s = state_for(args);
  if (kernel_isa(args.kernel()) != Isa::kAny) s.functions = &transpose_table(kernel_isa(args.kernel()));
  Prepared made = prepared(s);
  if (!s.copy && args.in(0).shape.rank() == 4) made.rows = {1, 0, 1};
  return made;
}

template <Isa kIsa>
constexpr std::array<KernelDef, 1> make_kernel() {
  return {KernelDef{.name = kernel_name<Relayout, kIsa>(),
                    .op = &kOpSchema<Relayout>,
                    .capability = kIsa,
                    .layout = LayoutRule::kRelayout,
                    .types = kIsa == Isa::kAny ? kAnyTypeRule : kRealRule,
                    .prepare = prepare,
                    .run = run,
                    .run_rows = run_rows}};
}

template <Isa kIsa>
struct IsaKernels {
  static constexpr auto kKernels = make_kernel<kIsa>();
};

/// The portable kernel is last and takes everything.
constexpr auto kKernels = kernel_table_detail::join(kernels_of_each_isa<IsaKernels>(), make_kernel<Isa::kAny>());

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = kernel_table<kKernels>();

}  // namespace coracle::internal::cpu::kernels::relayout
