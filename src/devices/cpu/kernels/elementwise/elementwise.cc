// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "devices/cpu/isa/binary.h"
#include "devices/cpu/kernel_isa.h"
#include "devices/cpu/kernels/elementwise/broadcast.h"
#include "ops/activation/prelu.h"
#include "ops/elementwise/add.h"
#include "ops/elementwise/divide.h"
#include "ops/elementwise/elementwise_pow.h"
#include "ops/elementwise/maximum.h"
#include "ops/elementwise/minimum.h"
#include "ops/elementwise/multiply.h"
#include "ops/elementwise/subtract.h"

/// Operators on two operands with broadcasting, and prelu: outer loops around a block that one micro-kernel call
/// computes.
namespace coracle::internal::cpu::kernels::elementwise {
namespace {

/// How the innermost block of [rows, columns] is computed.
enum class Form : uint8_t { kSame, kScalarRight, kScalarLeft, kRowRight, kRowLeft, kColumnRight, kColumnLeft };

using Axis = BroadcastAxis<2>;

struct State {
  const BinaryFunctions* functions = nullptr;
  BinaryKind kind = BinaryKind::kAdd;
  Form form = Form::kSame;
  Axis row;             ///< steps from row to row of a block; one row unless the form has rows
  int64_t columns = 1;  ///< contiguous in the result
  int outer_rank = 0;   ///< dimensions around the blocks, outermost first
  Axis outer[Shape::kMaxRank];
  int64_t rows = 1;  ///< of all blocks
};

/// Steps of prelu's parameter, which lies in row-major order.
void operand_steps(const Prelu& op, const Shape& x, int64_t* steps) {
  std::fill(steps, steps + x.rank(), 0);
  if (op.mode == PreluMode::kChannel) steps[channel_axis(op.data_format, x.rank())] = 1;
  if (op.mode == PreluMode::kElement) {
    int64_t step = 1;
    for (int d = x.rank(); d-- > 1; step *= x[d]) steps[d] = step;
  }
}

/// See kernels::joined_axes. `prelu` is null for operators that broadcast.
int joined_axes(const Prelu* prelu, const ArgFacts& args, Axis* axes) {
  BroadcastSteps<2> steps;
  kernels::operand_steps(args.in(0), args.out().shape.rank(), steps[0]);
  if (prelu != nullptr) {
    operand_steps(*prelu, args.shape(0), steps[1]);
  } else {
    kernels::operand_steps(args.in(1), args.out().shape.rank(), steps[1]);
  }
  return kernels::joined_axes<2>(args.out(), steps, axes);
}

template <class Op>
const Prelu* as_prelu(const void* op) {
  if constexpr (std::is_same_v<Op, Prelu>) return static_cast<const Prelu*>(op);
  return nullptr;
}

RejectionReason rejection_of(const Prelu* prelu, const ArgFacts& args) {
  Axis axes[Shape::kMaxRank];
  const int count = joined_axes(prelu, args, axes);
  if (count == 0) return nullptr;
  return axes[count - 1].step[0] <= 1 && axes[count - 1].step[1] <= 1 ? nullptr : "operands lie in different orders";
}

template <class Op>
RejectionReason fits(const void* op, const ArgFacts& args) {
  return rejection_of(as_prelu<Op>(op), args);
}

State plan(const Prelu* prelu, const ArgFacts& args) {
  State s;
  Axis axes[Shape::kMaxRank];
  int count = joined_axes(prelu, args, axes);
  if (count > 0) {
    const Axis inner = axes[--count];
    s.columns = inner.size;
    const Axis* row = count > 0 ? &axes[count - 1] : nullptr;
    if (inner.step[0] == 1 && inner.step[1] == 1) {
      if (row != nullptr && row->step[1] == 0 && row->step[0] == inner.size) {
        s.form = Form::kRowRight;
      } else if (row != nullptr && row->step[0] == 0 && row->step[1] == inner.size) {
        s.form = Form::kRowLeft;
      }
    } else if (inner.step[0] == 1) {
      s.form =
          row != nullptr && row->step[0] == inner.size && row->step[1] == 1 ? Form::kColumnRight : Form::kScalarRight;
    } else {
      s.form =
          row != nullptr && row->step[1] == inner.size && row->step[0] == 1 ? Form::kColumnLeft : Form::kScalarLeft;
    }
    if (s.form >= Form::kRowRight) s.row = axes[--count];
  }
  s.outer_rank = count;
  s.rows = s.row.size;
  for (int i = 0; i < count; ++i) {
    s.outer[i] = axes[i];
    s.rows *= axes[i].size;
  }
  return s;
}

void compute(const State& s, const float* a, const float* b, float* y, size_t rows, size_t columns) {
  const BinaryFunctions& f = *s.functions;
  switch (s.form) {
    case Form::kSame: return f.same(s.kind, a, b, y, columns, {});
    case Form::kScalarRight: return f.scalar_right(s.kind, a, *b, y, columns, {});
    case Form::kScalarLeft: return f.scalar_left(s.kind, *a, b, y, columns, {});
    case Form::kRowRight: return f.row_right(s.kind, a, b, y, rows, columns, {});
    case Form::kRowLeft: return f.row_left(s.kind, a, b, y, rows, columns, {});
    case Form::kColumnRight: return f.column_right(s.kind, a, b, y, rows, columns, {});
    case Form::kColumnLeft: return f.column_left(s.kind, a, b, y, rows, columns, {});
  }
}

void run(KernelCall& call) noexcept {
  const State& s = state_of<State>(call);
  const float* a = call.in[0].as<const float>();
  const float* b = call.in[1].as<const float>();
  float* y = call.out[0].as<float>();
  if (s.rows == 0 || s.columns == 0) return;
  if (s.rows == 1) {
    const int64_t step_a = s.form == Form::kScalarLeft || s.form == Form::kColumnLeft ? 0 : 1;
    const int64_t step_b = s.form == Form::kScalarRight || s.form == Form::kColumnRight ? 0 : 1;
    call.pool->parallel_for(s.columns, kGrain, [&](int64_t begin, int64_t end) {
      compute(s, a + begin * step_a, b + begin * step_b, y + begin, 1, static_cast<size_t>(end - begin));
    });
    return;
  }
  call.pool->parallel_for(s.rows, grain_of(s.columns), [&](int64_t begin, int64_t end) {
    while (begin < end) {
      int64_t block = begin / s.row.size;
      const int64_t row = begin - block * s.row.size;
      const int64_t rows = end - begin < s.row.size - row ? end - begin : s.row.size - row;
      const float* from_a = a + row * s.row.step[0];
      const float* from_b = b + row * s.row.step[1];
      for (int i = s.outer_rank - 1; i >= 0; --i) {
        const int64_t at = block % s.outer[i].size;
        block /= s.outer[i].size;
        from_a += at * s.outer[i].step[0];
        from_b += at * s.outer[i].step[1];
      }
      compute(s, from_a, from_b, y + begin * s.columns, static_cast<size_t>(rows), static_cast<size_t>(s.columns));
      begin += rows;
    }
  });
}

Prepared prepared_kind(BinaryKind kind, const Prelu* prelu, const ArgFacts& args) {
  State s = plan(prelu, args);
  s.functions = &binary_table(kernel_isa(args.kernel()));
  s.kind = kind;
  return in_place(prepared(s));
}

template <class Op, BinaryKind kKind>
Prepared prepare(const void* op, const ArgFacts& args, PrepareContext&) {
  return prepared_kind(kKind, as_prelu<Op>(op), args);
}

template <class Op, BinaryKind kKind, Isa kIsa>
constexpr KernelDef make_kernel(LayoutRule layout) {
  return {.name = kernel_name<Op, kIsa>(),
          .op = &kOpSchema<Op>,
          .capability = kIsa,
          .layout = layout,
          .fits = fits<Op>,
          .prepare = prepare<Op, kKind>,
          .run = run};
}

/// In the operands' own order where that works, else row-major.
template <Isa kIsa>
struct IsaKernels {
  static constexpr std::array<KernelDef, 16> kKernels = {
      make_kernel<Add, BinaryKind::kAdd, kIsa>(LayoutRule::kSame),
      make_kernel<Add, BinaryKind::kAdd, kIsa>(LayoutRule::kRowMajor),
      make_kernel<Subtract, BinaryKind::kSubtract, kIsa>(LayoutRule::kSame),
      make_kernel<Subtract, BinaryKind::kSubtract, kIsa>(LayoutRule::kRowMajor),
      make_kernel<Multiply, BinaryKind::kMultiply, kIsa>(LayoutRule::kSame),
      make_kernel<Multiply, BinaryKind::kMultiply, kIsa>(LayoutRule::kRowMajor),
      make_kernel<Divide, BinaryKind::kDivide, kIsa>(LayoutRule::kSame),
      make_kernel<Divide, BinaryKind::kDivide, kIsa>(LayoutRule::kRowMajor),
      make_kernel<Maximum, BinaryKind::kMaximum, kIsa>(LayoutRule::kSame),
      make_kernel<Maximum, BinaryKind::kMaximum, kIsa>(LayoutRule::kRowMajor),
      make_kernel<Minimum, BinaryKind::kMinimum, kIsa>(LayoutRule::kSame),
      make_kernel<Minimum, BinaryKind::kMinimum, kIsa>(LayoutRule::kRowMajor),
      make_kernel<ElementwisePow, BinaryKind::kPow, kIsa>(LayoutRule::kSame),
      make_kernel<ElementwisePow, BinaryKind::kPow, kIsa>(LayoutRule::kRowMajor),
      make_kernel<Prelu, BinaryKind::kPrelu, kIsa>(LayoutRule::kSame),
      make_kernel<Prelu, BinaryKind::kPrelu, kIsa>(LayoutRule::kRowMajor),
  };
};

constexpr auto kKernels = kernels_of_each_isa<IsaKernels>();

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = kernel_table<kKernels>();

}  // namespace coracle::internal::cpu::kernels::elementwise
