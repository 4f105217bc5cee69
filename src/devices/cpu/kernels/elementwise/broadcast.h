// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "devices/cpu/kernels/kernel_table.h"

/// Operands that are repeated to the shape of the result, as the kernels of elementwise operators walk over them.
namespace coracle::internal::cpu::kernels {

/// One dimension of the result with the steps of all operands in elements.
template <int kOperands>
struct BroadcastAxis {
  int64_t size = 1;
  int64_t step[kOperands] = {};
};

/// Steps along each logical dimension of a result, by operand.
template <int kOperands>
using BroadcastSteps = int64_t[kOperands][Shape::kMaxRank];

/// Steps of an operand along each logical dimension of a result of `rank`, 0 where it is repeated.
inline void operand_steps(const Fact& operand, int rank, int64_t* steps) {
  const MemoryOrder order(operand);
  for (int d = 0; d < rank; ++d) {
    const int from = d - (rank - order.rank);
    steps[d] = from < 0 || operand.shape[from] == 1 ? 0 : order.stride[from];
  }
}

/// The dimensions of the result in memory order, without those of size 1, neighbours joined where possible. Gives how
/// many there are.
template <int kOperands>
int joined_axes(const Fact& result, const BroadcastSteps<kOperands>& steps, BroadcastAxis<kOperands>* axes) {
  const MemoryOrder out(result);
  int count = 0;
  for (int p = 0; p < out.rank; ++p) {
    if (out.dims[p] == 1) continue;
    BroadcastAxis<kOperands> axis{.size = out.dims[p]};
    for (int i = 0; i < kOperands; ++i) axis.step[i] = steps[i][out.logical[p]];
    BroadcastAxis<kOperands>* last = count > 0 ? &axes[count - 1] : nullptr;
    bool joins = last != nullptr;
    for (int i = 0; joins && i < kOperands; ++i) joins = last->step[i] == axis.size * axis.step[i];
    if (joins) {
      axis.size *= last->size;
      *last = axis;
    } else {
      axes[count++] = axis;
    }
  }
  return count;
}

/// A result as lines of neighbours, along which each operand is contiguous or one element.
template <int kOperands>
struct BroadcastLines {
  int64_t columns = 1;
  int64_t step[kOperands] = {};  ///< along a line: 1 or 0
  int64_t lines = 1;
  int outer_rank = 0;
  BroadcastAxis<kOperands> outer[Shape::kMaxRank];

  /// Nothing where an operand is neither along the innermost dimension.
  static std::optional<BroadcastLines> of(const ArgFacts& args) {
    BroadcastSteps<kOperands> steps;
    for (int i = 0; i < kOperands; ++i) operand_steps(args.in(i), args.out().shape.rank(), steps[i]);
    BroadcastAxis<kOperands> axes[Shape::kMaxRank];
    int count = joined_axes<kOperands>(args.out(), steps, axes);
    BroadcastLines s;
    if (count > 0) {
      const BroadcastAxis<kOperands>& inner = axes[--count];
      s.columns = inner.size;
      for (int i = 0; i < kOperands; ++i) {
        if (inner.step[i] > 1) return std::nullopt;
        s.step[i] = inner.step[i];
      }
    }
    s.outer_rank = count;
    for (int i = 0; i < count; ++i) {
      s.outer[i] = axes[i];
      s.lines *= axes[i].size;
    }
    return s;
  }

  /// f(positions in the operands, position in the result, count) for stretches of lines, on all threads. An element
  /// costs what `cost` elements of copying do.
  template <class F>
  void each(ThreadPool& pool, int64_t cost, const F& f) const {
    if (lines == 1) {
      pool.parallel_for(columns, kGrain / cost, [&](int64_t begin, int64_t end) {
        int64_t at[kOperands];
        for (int i = 0; i < kOperands; ++i) at[i] = begin * step[i];
        f(at, begin, end - begin);
      });
      return;
    }
    pool.parallel_for(columns == 0 ? 0 : lines, grain_of(columns * cost), [&](int64_t begin, int64_t end) {
      int64_t index[Shape::kMaxRank];
      int64_t at[kOperands] = {};
      int64_t rest = begin;
      for (int d = outer_rank - 1; d >= 0; --d) {
        index[d] = rest % outer[d].size;
        rest /= outer[d].size;
        for (int i = 0; i < kOperands; ++i) at[i] += index[d] * outer[d].step[i];
      }
      for (int64_t line = begin; line < end; ++line) {
        f(at, line * columns, columns);
        for (int d = outer_rank - 1; d >= 0; --d) {
          for (int i = 0; i < kOperands; ++i) at[i] += outer[d].step[i];
          if (++index[d] < outer[d].size) break;
          for (int i = 0; i < kOperands; ++i) at[i] -= outer[d].step[i] * outer[d].size;
          index[d] = 0;
        }
      }
    });
  }
};

}  // namespace coracle::internal::cpu::kernels
