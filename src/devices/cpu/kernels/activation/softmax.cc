// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/softmax.h"

#include "devices/cpu/kernel_isa.h"
#include "devices/cpu/kernels/kernel_table.h"
#include "ops/activation/log_softmax.h"
#include "ops/activation/softmax.h"

namespace coracle::internal::cpu::kernels::softmax {
namespace {

struct State {
  const SoftmaxFunctions* functions = nullptr;
  bool log = false;
  MemoryLines lines;
  int64_t vectors = 0;  ///< softmax_elements_in_vectors
};

void run(KernelCall& call) noexcept {
  const State& s = state_of<State>(call);
  const float* x = call.in[0].as<const float>();
  float* y = call.out[0].as<float>();
  const MemoryLines& lines = s.lines;
  if (lines.inner == 1) {
    call.pool->parallel_for(lines.outer, grain_of(4 * lines.length), [&](int64_t begin, int64_t end) {
      const auto rows = static_cast<size_t>(end - begin);
      const auto n = static_cast<size_t>(lines.length);
      const float* from = x + begin * lines.length;
      float* to = y + begin * lines.length;
      if (s.log) return s.functions->log_rows(from, to, rows, n, call.deadline());
      s.functions->rows(from, to, rows, n, static_cast<size_t>(s.vectors), call.deadline());
    });
    return;
  }
  call.pool->parallel_for(lines.outer * lines.inner, grain_of(4 * lines.length), [&](int64_t begin, int64_t end) {
    while (begin < end) {
      const int64_t image = begin / lines.inner;
      const int64_t first = begin - image * lines.inner;
      const int64_t last = end - begin < lines.inner - first ? first + end - begin : lines.inner;
      const int64_t offset = image * lines.length * lines.inner;
      const auto n = static_cast<size_t>(lines.length);
      const auto inner = static_cast<size_t>(lines.inner);
      const auto column = static_cast<size_t>(first);
      const auto end_column = static_cast<size_t>(last);
      if (s.log) {
        s.functions->log_strided(x + offset, y + offset, n, inner, column, end_column, call.deadline());
      } else {
        s.functions->strided(x + offset, y + offset, n, inner, column, end_column, static_cast<size_t>(s.vectors),
                             call.deadline());
      }
      begin += last - first;
    }
  });
}

/// Rows of a few elements are slow; across rows they are not, and the row-major order lays them so.
RejectionReason order_rejection(const ArgFacts& args, int64_t axis) {
  const bool moved = args.in(0).layout == Layout::kChannelsLast && !layouts_agree(args.shape(0));
  const MemoryLines lines(args.in(0), axis);
  return moved && lines.inner == 1 && lines.length < 8 ? "too few channels" : nullptr;
}

Prepared prepared_lines(const ArgFacts& args, int64_t axis, bool log) {
  const MemoryLines lines(args.in(0), axis);
  // Other layouts lay lines next to each other as well; what counts is Paddle's.
  const Shape& shape = args.shape(0);
  const bool whole = shape.rank() > 0 && shape.count(normalize_axis(axis, shape.rank()) + 1, shape.rank()) == 1;
  const int64_t vectors = whole ? softmax_elements_in_vectors(lines.length) : 0;
  return in_place(prepared(State{&softmax_table(kernel_isa(args.kernel())), log, lines, vectors}));
}

template <class Op>
RejectionReason fits(const void* op, const ArgFacts& args) {
  return order_rejection(args, static_cast<const Op*>(op)->axis);
}

template <class Op>
Prepared prepare(const void* op, const ArgFacts& args, PrepareContext&) {
  return prepared_lines(args, static_cast<const Op*>(op)->axis, std::is_same_v<Op, LogSoftmax>);
}

template <class Op, Isa kIsa>
constexpr std::array<KernelDef, 2> make_kernels() {
  KernelDef same{.name = kernel_name<Op, kIsa>(),
                 .op = &kOpSchema<Op>,
                 .capability = kIsa,
                 .layout = LayoutRule::kSame,
                 .fits = fits<Op>,
                 .prepare = prepare<Op>,
                 .run = run};
  KernelDef row_major = same;
  row_major.layout = LayoutRule::kRowMajor;
  return {same, row_major};
}

template <Isa kIsa>
struct IsaKernels {
  static constexpr auto kKernels =
      kernel_table_detail::join(make_kernels<Softmax, kIsa>(), make_kernels<LogSoftmax, kIsa>());
};

constexpr auto kKernels = kernels_of_each_isa<IsaKernels>();

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = kernel_table<kKernels>();

}  // namespace coracle::internal::cpu::kernels::softmax
