// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/reduce.h"

#include "devices/cpu/blocked_reduction.h"
#include "devices/cpu/kernel_isa.h"
#include "devices/cpu/kernels/reduce/reduction_lines.h"
#include "ops/elementwise/sum.h"
#include "ops/reduce/amax.h"
#include "ops/reduce/amin.h"
#include "ops/reduce/argmax.h"
#include "ops/reduce/argmin.h"
#include "ops/reduce/max.h"
#include "ops/reduce/mean.h"
#include "ops/reduce/mean_all.h"
#include "ops/reduce/min.h"
#include "ops/reduce/prod.h"

namespace coracle::internal::cpu::kernels::reduce {
namespace {

template <class Op>
RejectionReason fits(const void* op, const ArgFacts& args) {
  return lines_of<Op>(op, args) ? nullptr : "the axes are not known or not side by side in memory";
}

constexpr TypeRule kArgTypes = {.results = DType::kInt64};

template <class Op>
RejectionReason fits_arg(const void* op, const ArgFacts& args) {
  const auto& o = *static_cast<const Op*>(op);
  if (o.flatten && !(args.in(0).layout == Layout::kRowMajor || layouts_agree(args.shape(0)))) return "another order";
  return fits<Op>(op, args);
}

struct State {
  const ReduceFunctions* functions = nullptr;
  ReduceKind kind = ReduceKind::kSum;
  bool largest = false;  ///< of the positions
  MemoryLines lines;
  BlockedReduction blocks;  ///< not of positions
};

void run(KernelCall& call) noexcept {
  const State& s = state_of<State>(call);
  if (s.blocks.is_used()) {
    s.blocks.run(*s.functions, call.in[0].as<const float>(), s.lines.outer, call.out[0].as<float>(), s.lines.inner,
                 call.workspace, *call.pool, call.deadline());
    return;
  }
  const auto length = static_cast<size_t>(s.lines.length);
  const auto inner = static_cast<size_t>(s.lines.inner);
  run_lines<float, float>(
      call, s.lines,
      [&](const float* x, float* y, size_t rows) { s.functions->rows(s.kind, x, y, rows, length, call.deadline()); },
      [&](const float* x, float* y, size_t begin, size_t end) {
        s.functions->strided(s.kind, x, y, length, inner, begin, end, call.deadline());
      });
}

void run_arg(KernelCall& call) noexcept {
  const State& s = state_of<State>(call);
  const auto length = static_cast<size_t>(s.lines.length);
  const auto inner = static_cast<size_t>(s.lines.inner);
  run_lines<float, int64_t>(
      call, s.lines,
      [&](const float* x, int64_t* y, size_t rows) {
        s.functions->arg_rows(s.largest, x, y, rows, length, call.deadline());
      },
      [&](const float* x, int64_t* y, size_t begin, size_t end) {
        s.functions->arg_strided(s.largest, x, y, length, inner, begin, end, call.deadline());
      });
}

template <class Op, ReduceKind kKind>
Prepared prepare(const void* op, const ArgFacts& args, PrepareContext&) {
  constexpr bool kIsPosition = std::is_base_of_v<ArgExtreme, Op>;
  State s{&reduce_table(kernel_isa(args.kernel())), kKind, std::is_same_v<Op, Argmax>, *lines_of<Op>(op, args), {}};
  if (!kIsPosition && s.lines.inner > 1) s.blocks = BlockedReduction(kKind, s.lines.length, s.lines.inner);
  const size_t workspace = s.blocks.workspace(s.lines.outer);
  return prepared(s, workspace);
}

template <class Op, ReduceKind kKind, Isa kIsa>
constexpr std::array<KernelDef, 2> make_kernels() {
  KernelDef k{.name = kernel_name<Op, kIsa>(),
              .op = &kOpSchema<Op>,
              .capability = kIsa,
              .layout = LayoutRule::kSame,
              .fits = fits<Op>,
              .prepare = prepare<Op, kKind>,
              .run = run};
  KernelDef row_major = k;
  row_major.layout = LayoutRule::kRowMajor;
  return {k, row_major};
}

template <class Op, Isa kIsa>
constexpr std::array<KernelDef, 2> arg_kernels() {
  std::array<KernelDef, 2> two = make_kernels<Op, ReduceKind::kMax, kIsa>();
  for (KernelDef& k : two) {
    k.types = kArgTypes;
    k.fits = fits_arg<Op>;
    k.run = run_arg;
  }
  return two;
}

/// In the operand's own order where that works, else row-major.
template <Isa kIsa>
struct IsaKernels {
  static constexpr auto kKernels = kernel_table_detail::join(
      make_kernels<Sum, ReduceKind::kSum, kIsa>(), make_kernels<Mean, ReduceKind::kMean, kIsa>(),
      make_kernels<MeanAll, ReduceKind::kMean, kIsa>(), make_kernels<Max, ReduceKind::kMax, kIsa>(),
      make_kernels<Amax, ReduceKind::kMax, kIsa>(), make_kernels<Min, ReduceKind::kMin, kIsa>(),
      make_kernels<Amin, ReduceKind::kMin, kIsa>(), make_kernels<Prod, ReduceKind::kProduct, kIsa>(),
      arg_kernels<Argmax, kIsa>(), arg_kernels<Argmin, kIsa>());
};

constexpr auto kKernels = kernels_of_each_isa<IsaKernels>();

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = kernel_table<kKernels>();

}  // namespace coracle::internal::cpu::kernels::reduce
