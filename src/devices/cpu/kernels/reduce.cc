// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/reduce.h"

#include "devices/cpu/kernels/rows.h"
#include "ops/amax.h"
#include "ops/amin.h"
#include "ops/argmax.h"
#include "ops/argmin.h"
#include "ops/max.h"
#include "ops/mean.h"
#include "ops/mean_all.h"
#include "ops/min.h"
#include "ops/prod.h"
#include "ops/sum.h"

namespace coracle::cpu::kernels {
namespace {

/// x as it lies in memory: [outer, length, inner], of which `length` goes. Nothing where the reduced dimensions do not
/// lie side by side, or where what is left lies in another order than the result.
std::optional<MemoryLines> reduction_lines(const Fact& x, const Fact& y, const std::vector<bool>& reduced) {
  const MemoryOrder order(x);
  const bool same_order = y.layout == x.layout && y.shape.rank() == order.rank;
  if (!same_order && y.layout != Layout::kRowMajor && !layouts_agree(y.shape)) return std::nullopt;
  MemoryLines lines;
  int last_kept = -1;
  enum { kBefore, kWithin, kBehind } where = kBefore;
  for (int p = 0; p < order.rank; ++p) {
    const int d = order.logical[p];
    const int64_t size = order.dims[p];
    if (size == 1) continue;
    if (reduced[static_cast<size_t>(d)]) {
      if (where == kBehind) return std::nullopt;
      where = kWithin;
      lines.length *= size;
      continue;
    }
    if (where == kWithin) where = kBehind;
    (where == kBefore ? lines.outer : lines.inner) *= size;
    if (!same_order && d < last_kept) return std::nullopt;
    last_kept = d;
  }
  return lines;
}

/// Which dimensions go; nothing where the axes are not known while planning.
template <class Op>
std::optional<std::vector<bool>> reduced_by(const Op& op, const ArgFacts& args) {
  const int rank = args.shape(0).rank();
  if constexpr (std::is_same_v<Op, MeanAll>) {
    return std::vector<bool>(static_cast<size_t>(rank), true);
  } else if constexpr (std::is_base_of_v<ReductionAttributes, Op>) {
    return reduced_dimensions(op.axis, op.reduce_all, rank);
  } else if constexpr (std::is_base_of_v<ArgExtreme, Op>) {
    std::vector<bool> reduced(static_cast<size_t>(rank), op.flatten);
    const auto axis = known_number(args, 1, -1);
    if (!op.flatten && !axis) return std::nullopt;
    if (!op.flatten && rank > 0) reduced[static_cast<size_t>(normalize_axis(static_cast<int64_t>(*axis), rank))] = true;
    return reduced;
  } else {
    const Tensor* axis = known_value(args, 1);
    if (args.has(1) && axis == nullptr) return std::nullopt;
    return reduced_dimensions(axis == nullptr ? Ints{} : axis->integers(), op.reduce_all, rank);
  }
}

template <class Op>
std::optional<MemoryLines> lines_of(const void* op, const ArgFacts& args) {
  const auto reduced = reduced_by(*static_cast<const Op*>(op), args);
  if (!reduced) return std::nullopt;
  return reduction_lines(args.in(0), args.out(), *reduced);
}

template <class Op>
Misfit fits(const void* op, const ArgFacts& args) {
  return lines_of<Op>(op, args) ? nullptr : "the axes are not known or not side by side in memory";
}

template <class Op>
Misfit fits_arg(const void* op, const ArgFacts& args) {
  if (args.in(0).dtype != DType::kFloat32 || args.out().dtype != DType::kInt64) return "only float32 to int64";
  const auto& o = *static_cast<const Op*>(op);
  if (o.flatten && !(args.in(0).layout == Layout::kRowMajor || layouts_agree(args.shape(0)))) return "another order";
  return fits<Op>(op, args);
}

struct State {
  const ReduceFunctions* functions = nullptr;
  ReduceKind kind = ReduceKind::kSum;
  bool largest = false;  ///< of the positions
  MemoryLines lines;
};

/// rows(x, y, count) over contiguous lines, strided(x, y, begin, end) over columns of one image.
template <class Y, class RowsFunction, class StridedFunction>
void run_lines(const KernelCall& call, const MemoryLines& lines, const RowsFunction& rows,
               const StridedFunction& strided) {
  const float* x = call.in[0].as<const float>();
  Y* y = call.out[0].as<Y>();
  if (lines.inner == 1) {
    call.pool->parallel_for(lines.outer, grain_of(lines.length), [&](int64_t begin, int64_t end) {
      rows(x + begin * lines.length, y + begin, static_cast<size_t>(end - begin));
    });
    return;
  }
  const int64_t grain = grain_of(lines.length) < 64 ? 64 : grain_of(lines.length);
  call.pool->parallel_for(lines.outer * lines.inner, grain, [&](int64_t begin, int64_t end) {
    while (begin < end) {
      const int64_t image = begin / lines.inner;
      const int64_t first = begin - image * lines.inner;
      const int64_t last = end - begin < lines.inner - first ? first + end - begin : lines.inner;
      strided(x + image * lines.length * lines.inner, y + image * lines.inner, static_cast<size_t>(first),
              static_cast<size_t>(last));
      begin += last - first;
    }
  });
}

void run(KernelCall& call) noexcept {
  const State& s = state_of<State>(call);
  const auto length = static_cast<size_t>(s.lines.length);
  const auto inner = static_cast<size_t>(s.lines.inner);
  run_lines<float>(
      call, s.lines, [&](const float* x, float* y, size_t rows) { s.functions->rows(s.kind, x, y, rows, length); },
      [&](const float* x, float* y, size_t begin, size_t end) {
        s.functions->strided(s.kind, x, y, length, inner, begin, end);
      });
}

void run_arg(KernelCall& call) noexcept {
  const State& s = state_of<State>(call);
  const auto length = static_cast<size_t>(s.lines.length);
  const auto inner = static_cast<size_t>(s.lines.inner);
  run_lines<int64_t>(
      call, s.lines,
      [&](const float* x, int64_t* y, size_t rows) { s.functions->arg_rows(s.largest, x, y, rows, length); },
      [&](const float* x, int64_t* y, size_t begin, size_t end) {
        s.functions->arg_strided(s.largest, x, y, length, inner, begin, end);
      });
}

template <class Op, ReduceKind kKind, Isa kIsa>
Prepared prepare(const void* op, const ArgFacts& args, PrepareContext&) {
  return prepared(State{&reduce_table(kIsa), kKind, std::is_same_v<Op, Argmax>, *lines_of<Op>(op, args)});
}

template <class Op, ReduceKind kKind, Isa kIsa>
constexpr std::array<Kernel, 2> rows() {
  Kernel k{.name = row_name<Op, kIsa>(),
           .op = &kOpRow<Op>,
           .isa = kIsa,
           .layout = LayoutRule::kSame,
           .fits = fits<Op>,
           .prepare = prepare<Op, kKind, kIsa>,
           .run = run};
  Kernel row_major = k;
  row_major.layout = LayoutRule::kRowMajor;
  return {k, row_major};
}

template <class Op, Isa kIsa>
constexpr std::array<Kernel, 2> arg_rows() {
  std::array<Kernel, 2> two = rows<Op, ReduceKind::kMax, kIsa>();
  for (Kernel& k : two) {
    k.float32 = false;
    k.fits = fits_arg<Op>;
    k.run = run_arg;
  }
  return two;
}

/// In the operand's own order where that works, else row-major.
template <Isa kIsa>
struct Rows {
  static constexpr auto kRows = rows_detail::join(
      rows<Sum, ReduceKind::kSum, kIsa>(), rows<Mean, ReduceKind::kMean, kIsa>(),
      rows<MeanAll, ReduceKind::kMean, kIsa>(), rows<Max, ReduceKind::kMax, kIsa>(),
      rows<Amax, ReduceKind::kMax, kIsa>(), rows<Min, ReduceKind::kMin, kIsa>(), rows<Amin, ReduceKind::kMin, kIsa>(),
      rows<Prod, ReduceKind::kProduct, kIsa>(), arg_rows<Argmax, kIsa>(), arg_rows<Argmin, kIsa>());
};

constexpr auto kRows = rows_of_each_isa<Rows>();

}  // namespace

extern const KernelTable reduce;
constinit const KernelTable reduce = {kRows};

}  // namespace coracle::cpu::kernels
