// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/number_reduce.h"

#include <limits>

#include "devices/cpu/isa/binary.h"
#include "devices/cpu/isa/reduce.h"
#include "devices/cpu/isa/unary.h"
#include "devices/cpu/kernel_isa.h"
#include "devices/cpu/kernels/elementwise/numbers.h"
#include "devices/cpu/kernels/reduce/reduction_lines.h"
#include "ops/elementwise/sum.h"
#include "ops/reduce/all.h"
#include "ops/reduce/amax.h"
#include "ops/reduce/amin.h"
#include "ops/reduce/any.h"
#include "ops/reduce/argmax.h"
#include "ops/reduce/argmin.h"
#include "ops/reduce/frobenius_norm.h"
#include "ops/reduce/max.h"
#include "ops/reduce/min.h"
#include "ops/reduce/norm.h"
#include "ops/reduce/prod.h"

/// Reductions of other numbers than float32, of truth values, and norms.
namespace coracle::internal::cpu::kernels::number_reduce {
namespace {

using Kind = NumberReduceKind;

constexpr const char* kNoLines = "the axes are not known or not side by side in memory";

// ---- sums, extremes, truth

struct State {
  const NumberReduceFunctions* functions = nullptr;
  Kind kind = Kind::kSum;
  bool largest = false;  ///< of the positions
  NumberType from = NumberType::kInt64;
  NumberType to = NumberType::kInt64;
  MemoryLines lines;
};

/// Calls f with elements of the sizes of operand and result, which is all that walking over them takes.
template <class F>
void with_sizes(DType from, DType to, const F& f) {
  with_element(size_of(from), [&](auto x) { with_element(size_of(to), [&](auto y) { f(x, y); }); });
}

/// Sums and products of integers may also be int64, as the operator has it.
template <Kind kKind>
constexpr TypeRule kReduceTypes = {
    .operands = DType::kUint8 | kIndexTypes | DType::kFloat64 | DType::kBool,
    .results = DType::kUint8 | kIndexTypes | DType::kFloat64,
};
template <>
constexpr TypeRule kReduceTypes<Kind::kAll> = {.operands = DType::kBool | kIndexTypes | DType::kFloat32,
                                               .results = DType::kBool};
template <>
constexpr TypeRule kReduceTypes<Kind::kAny> = kReduceTypes<Kind::kAll>;
constexpr TypeRule kArgTypes = {.operands = DType::kUint8 | kIndexTypes, .results = DType::kInt64};

template <class Op, Kind kKind>
RejectionReason fits(const void* op, const ArgFacts& args) {
  const bool has =
      number_reduce_table(Isa::kAny).has(kKind, *number_type(args.in(0).dtype), *number_type(args.out().dtype));
  if (!has) return "not for these element types together";
  return lines_of<Op>(op, args) ? nullptr : kNoLines;
}

Prepared prepared_lines(Kind kind, bool largest, const MemoryLines& lines, const ArgFacts& args) {
  return prepared(State{&number_reduce_table(kernel_isa(args.kernel())), kind, largest, *number_type(args.in(0).dtype),
                        *number_type(args.out().dtype), lines});
}

template <class Op, Kind kKind>
Prepared prepare(const void* op, const ArgFacts& args, PrepareContext&) {
  return prepared_lines(kKind, false, *lines_of<Op>(op, args), args);
}

void run(KernelCall& call) noexcept {
  const State& s = state_of<State>(call);
  const auto length = static_cast<size_t>(s.lines.length);
  const auto inner = static_cast<size_t>(s.lines.inner);
  with_sizes(call.in[0].fact->dtype, call.out[0].fact->dtype, [&](auto x_element, auto y_element) {
    using X = decltype(x_element);
    using Y = decltype(y_element);
    run_lines<X, Y>(
        call, s.lines,
        [&](const X* x, Y* y, size_t rows) { s.functions->rows(s.kind, s.from, s.to, x, y, rows, length); },
        [&](const X* x, Y* y, size_t begin, size_t end) {
          s.functions->strided(s.kind, s.from, s.to, x, y, length, inner, begin, end);
        });
  });
}

// ---- positions

template <class Op>
RejectionReason fits_arg(const void* op, const ArgFacts& args) {
  if (static_cast<const Op*>(op)->flatten && args.in(0).layout != Layout::kRowMajor) return "another order";
  return lines_of<Op>(op, args) ? nullptr : kNoLines;
}

template <class Op>
Prepared prepare_arg(const void* op, const ArgFacts& args, PrepareContext&) {
  return prepared_lines(Kind::kMax, std::is_same_v<Op, Argmax>, *lines_of<Op>(op, args), args);
}

void run_arg(KernelCall& call) noexcept {
  const State& s = state_of<State>(call);
  const auto length = static_cast<size_t>(s.lines.length);
  const auto inner = static_cast<size_t>(s.lines.inner);
  with_sizes(call.in[0].fact->dtype, DType::kInt64, [&](auto element, auto) {
    using X = decltype(element);
    run_lines<X, int64_t>(
        call, s.lines,
        [&](const X* x, int64_t* y, size_t rows) { s.functions->arg_rows(s.largest, s.from, x, y, rows, length); },
        [&](const X* x, int64_t* y, size_t begin, size_t end) {
          s.functions->arg_strided(s.largest, s.from, x, y, length, inner, begin, end);
        });
  });
}

// ---- norms

struct NormState {
  const ReduceFunctions* sums = nullptr;
  const NumberReduceFunctions* extremes = nullptr;
  const UnaryFunctions* unary = nullptr;
  double order = 2;
  MemoryLines lines;
};

double order_of(const PNorm& op) { return op.porder; }
double order_of(const FrobeniusNorm&) { return 2; }

bool is_plain_order(double order) { return order == 1 || order == 2 || std::isinf(order); }

template <class Op>
RejectionReason fits_norm(const void* op, const ArgFacts& args) {
  const double order = order_of(*static_cast<const Op*>(op));
  if (order == 0 || std::isnan(order)) return "the order is 0 or no number";
  const auto lines = lines_of<Op>(op, args);
  if (!lines) return kNoLines;
  return is_plain_order(order) || lines->inner == 1 ? nullptr : "a rare order along a dimension that is not the last";
}

template <class Op>
Prepared prepare_norm(const void* op, const ArgFacts& args, PrepareContext&) {
  const Isa isa = kernel_isa(args.kernel());
  return prepared(NormState{&reduce_table(isa), &number_reduce_table(isa), &unary_table(isa),
                            order_of(*static_cast<const Op*>(op)), *lines_of<Op>(op, args)});
}

/// The sum of |x|^order, a block at a time.
float sum_of_powers(const KernelCall& call, const NormState& s, const float* x, int64_t n) {
  constexpr int64_t kBlock = 1024;
  float block[kBlock];
  const UnaryStep steps[] = {{.kind = UnaryKind::kAbs}, {.kind = UnaryKind::kPow, .a = static_cast<float>(s.order)}};
  double sum = 0;
  for (int64_t i = 0; i < n; i += kBlock) {
    const auto size = static_cast<size_t>(std::min(kBlock, n - i));
    s.unary->chain(steps, 2, x + i, block, size);
    float part;
    s.sums->rows(ReduceKind::kSum, block, &part, 1, size, call.deadline());
    sum += static_cast<double>(part);
  }
  return static_cast<float>(sum);
}

void norm_of_rows(const KernelCall& call, const NormState& s, const float* x, float* y, size_t rows) {
  const auto length = static_cast<size_t>(s.lines.length);
  if (std::isinf(s.order)) {
    return s.extremes->rows(s.order > 0 ? Kind::kMaxAbs : Kind::kMinAbs, NumberType::kFloat32, NumberType::kFloat32, x,
                            y, rows, length);
  }
  if (s.order == 1) return s.sums->rows(ReduceKind::kSumAbs, x, y, rows, length, call.deadline());
  if (s.order == 2) {
    s.sums->rows(ReduceKind::kSumSquares, x, y, rows, length, call.deadline());
    return s.unary->apply({.kind = UnaryKind::kSqrt}, y, y, rows);
  }
  for (size_t r = 0; r < rows; ++r) y[r] = sum_of_powers(call, s, x + r * length, s.lines.length);
  s.unary->apply({.kind = UnaryKind::kPow, .a = static_cast<float>(1 / s.order)}, y, y, rows);
}

void norm_of_columns(const KernelCall& call, const NormState& s, const float* x, float* y, size_t begin, size_t end) {
  const auto length = static_cast<size_t>(s.lines.length);
  const auto inner = static_cast<size_t>(s.lines.inner);
  if (std::isinf(s.order)) {
    return s.extremes->strided(s.order > 0 ? Kind::kMaxAbs : Kind::kMinAbs, NumberType::kFloat32, NumberType::kFloat32,
                               x, y, length, inner, begin, end);
  }
  s.sums->strided(s.order == 1 ? ReduceKind::kSumAbs : ReduceKind::kSumSquares, x, y, length, inner, begin, end,
                  call.deadline());
  if (s.order == 2) s.unary->apply({.kind = UnaryKind::kSqrt}, y + begin, y + begin, end - begin);
}

void run_norm(KernelCall& call) noexcept {
  const auto& s = state_of<NormState>(call);
  run_lines<float, float>(
      call, s.lines, [&](const float* x, float* y, size_t rows) { norm_of_rows(call, s, x, y, rows); },
      [&](const float* x, float* y, size_t begin, size_t end) { norm_of_columns(call, s, x, y, begin, end); });
}

// ---- norm: x divided by its norm along an axis

struct DivideState {
  const ReduceFunctions* sums = nullptr;
  const UnaryFunctions* unary = nullptr;
  const BinaryFunctions* binary = nullptr;
  float epsilon = 0;
  MemoryLines lines;
};

Prepared prepare_divide(const void* op, const ArgFacts& args, PrepareContext&) {
  const auto& norm = *static_cast<const Norm*>(op);
  const Isa isa = kernel_isa(args.kernel());
  DivideState s{&reduce_table(isa), &unary_table(isa), &binary_table(isa), static_cast<float>(norm.epsilon),
                MemoryLines(args.in(0), norm.axis)};
  return prepared(s, static_cast<size_t>(s.lines.outer * s.lines.inner) * sizeof(float));
}

/// sums[i] = sqrt(sums[i] + epsilon)
void finish_norms(const DivideState& s, float* sums, size_t count) {
  const UnaryStep steps[] = {{.kind = UnaryKind::kScaleShift, .a = 1, .b = s.epsilon}, {.kind = UnaryKind::kSqrt}};
  s.unary->chain(steps, 2, sums, sums, count);
}

void run_divide(KernelCall& call) noexcept {
  const auto& s = state_of<DivideState>(call);
  const auto* x = call.in[0].as<const float>();
  auto* y = call.out[0].as<float>();
  float* norms = call.out.size() > 1 ? call.out[1].as<float>() : static_cast<float*>(call.workspace);
  const int64_t inner = s.lines.inner;
  run_lines<float, float>(
      call, s.lines,
      [&](const float* from, float*, size_t rows) {
        const int64_t first = (from - x) / std::max<int64_t>(s.lines.length, 1);
        s.sums->rows(ReduceKind::kSumSquares, from, norms + first, rows, static_cast<size_t>(s.lines.length),
                     call.deadline());
        finish_norms(s, norms + first, rows);
        s.binary->column_right(BinaryKind::kDivide, from, norms + first, y + (from - x), rows,
                               static_cast<size_t>(s.lines.length), {});
      },
      [&](const float* from, float*, size_t begin, size_t end) {
        float* sums = norms + (from - x) / std::max<int64_t>(s.lines.length, 1);
        s.sums->strided(ReduceKind::kSumSquares, from, sums, static_cast<size_t>(s.lines.length),
                        static_cast<size_t>(inner), begin, end, call.deadline());
        finish_norms(s, sums + begin, end - begin);
        for (int64_t k = 0; k < s.lines.length; ++k) {
          const int64_t at = k * inner + static_cast<int64_t>(begin);
          s.binary->same(BinaryKind::kDivide, from + at, sums + begin, y + (from - x) + at, end - begin, {});
        }
      });
}

// ---- kernels

/// In the operand's own order where that works, else row-major.
constexpr std::array<KernelDef, 2> both_orders(KernelDef kernel) {
  kernel.layout = LayoutRule::kSame;
  KernelDef row_major = kernel;
  row_major.layout = LayoutRule::kRowMajor;
  return {kernel, row_major};
}

template <class Op, Kind kKind, Isa kIsa>
constexpr std::array<KernelDef, 2> make_kernels() {
  return both_orders({.name = variant_name<Op, ".numbers", kIsa>(),
                      .op = &kOpSchema<Op>,
                      .capability = kIsa,
                      .types = kReduceTypes<kKind>,
                      .fits = fits<Op, kKind>,
                      .prepare = prepare<Op, kKind>,
                      .run = run});
}

template <class Op, Isa kIsa>
constexpr std::array<KernelDef, 2> arg_kernels() {
  return both_orders({.name = variant_name<Op, ".numbers", kIsa>(),
                      .op = &kOpSchema<Op>,
                      .capability = kIsa,
                      .types = kArgTypes,
                      .fits = fits_arg<Op>,
                      .prepare = prepare_arg<Op>,
                      .run = run_arg});
}

template <class Op, Isa kIsa>
constexpr std::array<KernelDef, 2> norm_kernels() {
  return both_orders({.name = kernel_name<Op, kIsa>(),
                      .op = &kOpSchema<Op>,
                      .capability = kIsa,
                      .fits = fits_norm<Op>,
                      .prepare = prepare_norm<Op>,
                      .run = run_norm});
}

template <Isa kIsa>
constexpr std::array<KernelDef, 1> divide_kernels() {
  return {KernelDef{.name = kernel_name<Norm, kIsa>(),
                    .op = &kOpSchema<Norm>,
                    .capability = kIsa,
                    .prepare = prepare_divide,
                    .run = run_divide}};
}

template <Isa kIsa>
struct IsaKernels {
  static constexpr auto kKernels =
      kernel_table_detail::join(make_kernels<Sum, Kind::kSum, kIsa>(), make_kernels<Prod, Kind::kProduct, kIsa>(),
                                make_kernels<Max, Kind::kMax, kIsa>(), make_kernels<Amax, Kind::kMax, kIsa>(),
                                make_kernels<Min, Kind::kMin, kIsa>(), make_kernels<Amin, Kind::kMin, kIsa>(),
                                make_kernels<All, Kind::kAll, kIsa>(), make_kernels<Any, Kind::kAny, kIsa>(),
                                arg_kernels<Argmax, kIsa>(), arg_kernels<Argmin, kIsa>(), norm_kernels<PNorm, kIsa>(),
                                norm_kernels<FrobeniusNorm, kIsa>(), divide_kernels<kIsa>());
};

constexpr auto kKernels = kernels_of_each_isa<IsaKernels>();

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = kernel_table<kKernels>();

}  // namespace coracle::internal::cpu::kernels::number_reduce
