// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "devices/cpu/kernels/kernel_table.h"
#include "ops/reduce/arg_extreme.h"
#include "ops/reduce/mean_all.h"
#include "ops/reduce/p_norm.h"
#include "ops/reduce/reduction.h"

/// Where the elements lie that a reduction folds.
namespace coracle::internal::cpu::kernels {

/// x as it lies in memory: [outer, length, inner], of which `length` goes. Nothing where the reduced dimensions do not
/// lie side by side, or where what is left lies in another order than the result.
inline std::optional<MemoryLines> reduction_lines(const Fact& x, const Fact& y, const std::vector<bool>& reduced) {
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
  } else if constexpr (std::is_same_v<Op, PNorm>) {
    return reduced_dimensions(Ints{op.axis}, op.asvector, rank);
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

/// rows(x, y, count) over contiguous lines, strided(x, y, begin, end) over columns of one image.
template <class X, class Y, class RowsFunction, class StridedFunction>
void run_lines(const KernelCall& call, const MemoryLines& lines, const RowsFunction& rows,
               const StridedFunction& strided) {
  const X* x = call.in[0].as<const X>();
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

}  // namespace coracle::internal::cpu::kernels
