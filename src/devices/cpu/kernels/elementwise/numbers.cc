// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/kernels/elementwise/numbers.h"

#include "devices/cpu/isa/number_binary.h"
#include "devices/cpu/isa/number_unary.h"
#include "devices/cpu/kernel_isa.h"
#include "devices/cpu/kernels/elementwise/adder.h"
#include "devices/cpu/kernels/elementwise/broadcast.h"
#include "ops/activation/abs.h"
#include "ops/activation/isfinite.h"
#include "ops/activation/isinf.h"
#include "ops/activation/isnan.h"
#include "ops/activation/negative.h"
#include "ops/elementwise/add.h"
#include "ops/elementwise/add_n.h"
#include "ops/elementwise/divide.h"
#include "ops/elementwise/floor_divide.h"
#include "ops/elementwise/maximum.h"
#include "ops/elementwise/minimum.h"
#include "ops/elementwise/multiply.h"
#include "ops/elementwise/remainder.h"
#include "ops/elementwise/subtract.h"
#include "ops/index/where.h"
#include "ops/logic/bitwise_and.h"
#include "ops/logic/bitwise_not.h"
#include "ops/logic/bitwise_or.h"
#include "ops/logic/bitwise_xor.h"
#include "ops/logic/equal.h"
#include "ops/logic/greater_equal.h"
#include "ops/logic/greater_than.h"
#include "ops/logic/less_equal.h"
#include "ops/logic/less_than.h"
#include "ops/logic/logical_and.h"
#include "ops/logic/logical_not.h"
#include "ops/logic/logical_or.h"
#include "ops/logic/logical_xor.h"
#include "ops/logic/not_equal.h"

/// Elementwise operators on numbers of any type, comparisons and choices. Functions of float32 are in activation.cc and
/// elementwise.cc.
namespace coracle::internal::cpu::kernels::numbers {
namespace {

/// What an integer divided in double costs, in elements of copying.
constexpr int64_t kDivisionCost = 4;

using Kind = NumberBinaryKind;

// ---- two operands

struct BinaryState {
  NumberBinaryLoop loop = nullptr;
  BroadcastLines<2> lines;
  int64_t element = 1;   ///< bytes of an operand's
  int64_t produced = 1;  ///< bytes of a result's
  int64_t cost = 1;
};

template <Kind kKind>
constexpr TypeRule kBinaryTypes = {
    .operands = binary_types(kKind),
    .results = kKind >= Kind::kEqual ? DTypes(DType::kBool) : binary_types(kKind),
    .alike = true,
};

RejectionReason fits_binary(const void*, const ArgFacts& args) {
  return BroadcastLines<2>::of(args) ? nullptr : "operands lie in different orders";
}

Prepared prepared_binary(Kind kind, const ArgFacts& args) {
  BinaryState s;
  s.lines = *BroadcastLines<2>::of(args);
  const NumberBinaryLoops loops =
      number_binary_table(kernel_isa(args.kernel())).loops(kind, *number_type(args.in(0).dtype));
  s.loop = s.lines.columns == 1 || (s.lines.step[0] != 0 && s.lines.step[1] != 0) ? loops.same
           : s.lines.step[0] != 0                                                 ? loops.scalar_right
                                                                                  : loops.scalar_left;
  s.element = static_cast<int64_t>(size_of(args.in(0).dtype));
  s.produced = static_cast<int64_t>(size_of(args.out().dtype));
  const bool divides = kind == Kind::kDivide || kind == Kind::kFloorDivide || kind == Kind::kRemainder;
  s.cost = divides ? kDivisionCost : 1;
  return s.element == s.produced ? in_place(prepared(s)) : prepared(s);
}

template <Kind kKind>
Prepared prepare_binary(const void*, const ArgFacts& args, PrepareContext&) {
  return prepared_binary(kKind, args);
}

void run_binary(KernelCall& call) noexcept {
  const auto& s = state_of<BinaryState>(call);
  const char* a = call.in[0].as<const char>();
  const char* b = call.in[1].as<const char>();
  char* y = call.out[0].as<char>();
  s.lines.each(*call.pool, s.cost, [&](const int64_t* at, int64_t to, int64_t count) {
    s.loop(a + at[0] * s.element, b + at[1] * s.element, y + to * s.produced, static_cast<size_t>(count));
  });
}

// ---- one operand

struct UnaryState {
  NumberUnaryLoop loop = nullptr;
  int64_t count = 0;
  int64_t element = 1;
  int64_t produced = 1;
};

template <NumberUnaryKind kKind>
constexpr TypeRule kUnaryTypes = {
    .operands = unary_types(kKind),
    .results = kKind >= NumberUnaryKind::kLogicalNot ? DTypes(DType::kBool) : unary_types(kKind),
};

Prepared prepared_unary(NumberUnaryKind kind, const ArgFacts& args) {
  UnaryState s;
  s.loop = number_unary_table(kernel_isa(args.kernel())).loop(kind, *number_type(args.in(0).dtype));
  s.count = args.shape(0).count();
  s.element = static_cast<int64_t>(size_of(args.in(0).dtype));
  s.produced = static_cast<int64_t>(size_of(args.out().dtype));
  return s.element == s.produced ? in_place(prepared(s)) : prepared(s);
}

template <NumberUnaryKind kKind>
Prepared prepare_unary(const void*, const ArgFacts& args, PrepareContext&) {
  return prepared_unary(kKind, args);
}

void run_unary(KernelCall& call) noexcept {
  const auto& s = state_of<UnaryState>(call);
  const char* x = call.in[0].as<const char>();
  char* y = call.out[0].as<char>();
  call.pool->parallel_for(s.count, kGrain, [&](int64_t begin, int64_t end) {
    s.loop(x + begin * s.element, y + begin * s.produced, static_cast<size_t>(end - begin));
  });
}

// ---- where

struct SelectState {
  SelectLoop loop = nullptr;
  BroadcastLines<3> lines;
  int64_t element = 1;
};

/// Elements of 1, 2, 4 or 8 bytes.
constexpr DTypes kWhereElements = DTypes::all() - DType::kComplex128;
constexpr TypeRule kWhereTypes = {
    .operands = kWhereElements, .results = kWhereElements, .in = {{{0, DType::kBool}}}, .alike = true};

RejectionReason fits_where(const void*, const ArgFacts& args) {
  return BroadcastLines<3>::of(args) ? nullptr : "operands lie in different orders";
}

Prepared prepare_where(const void*, const ArgFacts& args, PrepareContext&) {
  SelectState s;
  s.lines = *BroadcastLines<3>::of(args);
  s.loop = number_unary_table(kernel_isa(args.kernel())).select(size_of(args.in(1).dtype));
  s.element = static_cast<int64_t>(size_of(args.in(1).dtype));
  return prepared(s);
}

void run_where(KernelCall& call) noexcept {
  const auto& s = state_of<SelectState>(call);
  const auto* condition = call.in[0].as<const uint8_t>();
  const char* a = call.in[1].as<const char>();
  const char* b = call.in[2].as<const char>();
  char* y = call.out[0].as<char>();
  s.lines.each(*call.pool, 1, [&](const int64_t* at, int64_t to, int64_t count) {
    const char* from_a = a + at[1] * s.element;
    const char* from_b = b + at[2] * s.element;
    if (s.lines.step[0] != 0 || count == 1) {
      s.loop(condition + at[0], from_a, s.lines.step[1], from_b, s.lines.step[2], y + to * s.element,
             static_cast<size_t>(count));
      return;
    }
    // One condition for the whole line: a choice of operands.
    const bool first = condition[at[0]] != 0;
    const int64_t step = s.lines.step[first ? 1 : 2];
    constexpr int64_t kTogether = 256;
    static constexpr uint8_t kFalse[kTogether] = {};
    const char* from = first ? from_a : from_b;
    for (int64_t i = 0; i < count; i += kTogether) {
      s.loop(kFalse, from, 0, from + i * step * s.element, step, y + (to + i) * s.element,
             static_cast<size_t>(std::min(kTogether, count - i)));
    }
  });
}

// ---- sums of many

struct AddNState {
  Adder add;
  int64_t count = 0;
  int64_t element = 4;
};

constexpr TypeRule kAddNTypes = {.operands = kSumTypes, .results = kSumTypes};

Prepared prepare_add_n(const void*, const ArgFacts& args, PrepareContext&) {
  return prepared(AddNState{Adder::of(kernel_isa(args.kernel()), *number_type(args.in(0).dtype)),
                            args.out().shape.count(), static_cast<int64_t>(size_of(args.in(0).dtype))});
}

void run_add_n(KernelCall& call) noexcept {
  const auto& s = state_of<AddNState>(call);
  constexpr int64_t kTogether = 2048;  // stay in the first-level cache from operand to operand
  char* y = call.out[0].as<char>();
  call.pool->parallel_for(s.count, kGrain / 2, [&](int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end; at += kTogether) {
      const auto size = static_cast<size_t>(std::min(kTogether, end - at));
      char* to = y + at * s.element;
      const char* sum = call.in[0].as<const char>() + at * s.element;
      if (call.in.size() == 1) std::copy(sum, sum + size * static_cast<size_t>(s.element), to);
      for (size_t i = 1; i < call.in.size(); ++i) {
        s.add(sum, call.in[i].as<const char>() + at * s.element, to, size);
        sum = to;
      }
    }
  });
}

// ---- kernels

/// In the operands' own order where that works, else row-major.
constexpr std::array<KernelDef, 2> both_orders(KernelDef kernel) {
  kernel.layout = LayoutRule::kSame;
  KernelDef row_major = kernel;
  row_major.layout = LayoutRule::kRowMajor;
  return {kernel, row_major};
}

template <class Op, Kind kKind, Isa kIsa>
constexpr std::array<KernelDef, 2> binary_kernels() {
  return both_orders({.name = variant_name<Op, ".numbers", kIsa>(),
                      .op = &kOpSchema<Op>,
                      .capability = kIsa,
                      .types = kBinaryTypes<kKind>,
                      .fits = fits_binary,
                      .prepare = prepare_binary<kKind>,
                      .run = run_binary});
}

template <class Op, NumberUnaryKind kKind, Isa kIsa>
constexpr std::array<KernelDef, 1> unary_kernels() {
  return {KernelDef{.name = variant_name<Op, ".numbers", kIsa>(),
                    .op = &kOpSchema<Op>,
                    .capability = kIsa,
                    .layout = LayoutRule::kSame,
                    .types = kUnaryTypes<kKind>,
                    .rank = -1,
                    .prepare = prepare_unary<kKind>,
                    .run = run_unary}};
}

template <Isa kIsa>
constexpr std::array<KernelDef, 2> where_kernels() {
  return both_orders({.name = kernel_name<Where, kIsa>(),
                      .op = &kOpSchema<Where>,
                      .capability = kIsa,
                      .types = kWhereTypes,
                      .fits = fits_where,
                      .prepare = prepare_where,
                      .run = run_where});
}

template <Isa kIsa>
constexpr std::array<KernelDef, 1> add_n_kernels() {
  return {KernelDef{.name = kernel_name<AddN, kIsa>(),
                    .op = &kOpSchema<AddN>,
                    .capability = kIsa,
                    .layout = LayoutRule::kSame,
                    .types = kAddNTypes,
                    .prepare = prepare_add_n,
                    .run = run_add_n}};
}

template <Isa kIsa>
struct IsaKernels {
  static constexpr auto kKernels = kernel_table_detail::join(
      binary_kernels<Add, Kind::kAdd, kIsa>(), binary_kernels<Subtract, Kind::kSubtract, kIsa>(),
      binary_kernels<Multiply, Kind::kMultiply, kIsa>(), binary_kernels<Divide, Kind::kDivide, kIsa>(),
      binary_kernels<Maximum, Kind::kMaximum, kIsa>(), binary_kernels<Minimum, Kind::kMinimum, kIsa>(),
      binary_kernels<FloorDivide, Kind::kFloorDivide, kIsa>(), binary_kernels<Remainder, Kind::kRemainder, kIsa>(),
      binary_kernels<BitwiseAnd, Kind::kAnd, kIsa>(), binary_kernels<BitwiseOr, Kind::kOr, kIsa>(),
      binary_kernels<BitwiseXor, Kind::kXor, kIsa>(), binary_kernels<Equal, Kind::kEqual, kIsa>(),
      binary_kernels<NotEqual, Kind::kNotEqual, kIsa>(), binary_kernels<LessThan, Kind::kLess, kIsa>(),
      binary_kernels<LessEqual, Kind::kLessEqual, kIsa>(), binary_kernels<GreaterThan, Kind::kGreater, kIsa>(),
      binary_kernels<GreaterEqual, Kind::kGreaterEqual, kIsa>(), binary_kernels<LogicalAnd, Kind::kLogicalAnd, kIsa>(),
      binary_kernels<LogicalOr, Kind::kLogicalOr, kIsa>(), binary_kernels<LogicalXor, Kind::kLogicalXor, kIsa>(),
      unary_kernels<Abs, NumberUnaryKind::kAbs, kIsa>(), unary_kernels<Negative, NumberUnaryKind::kNegative, kIsa>(),
      unary_kernels<BitwiseNot, NumberUnaryKind::kNot, kIsa>(),
      unary_kernels<LogicalNot, NumberUnaryKind::kLogicalNot, kIsa>(),
      unary_kernels<Isnan, NumberUnaryKind::kIsNan, kIsa>(), unary_kernels<Isinf, NumberUnaryKind::kIsInf, kIsa>(),
      unary_kernels<Isfinite, NumberUnaryKind::kIsFinite, kIsa>(), where_kernels<kIsa>(), add_n_kernels<kIsa>());
};

constexpr auto kKernels = kernels_of_each_isa<IsaKernels>();

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = kernel_table<kKernels>();

}  // namespace coracle::internal::cpu::kernels::numbers
