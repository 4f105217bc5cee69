// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "devices/cpu/integer_panels.h"
#include "devices/cpu/integer_plan.h"
#include "devices/cpu/kernels/rows.h"
#include "ops/common/binary.h"
#include "ops/quantize/integer_linear.h"

/// Products of two computed int8 matrices, batch by batch; the second ones are packed in each run.
namespace coracle::cpu::kernels {
namespace {

struct State {
  IntegerGemmPlan plan;
  IntegerMatrix matrix;  ///< one of operand 1, without data
  int64_t matrices = 0;
};

Shape batch_of(const Shape& s) {
  return s.rank() < 3 ? Shape{} : Shape(std::span(s.begin(), static_cast<size_t>(s.rank() - 2)));
}

Misfit fits(const void* op_attributes, const ArgFacts& args) {
  const auto& op = *static_cast<const IntegerLinear*>(op_attributes);
  const Shape product = matrix_product_shape(args.shape(0), args.shape(1), false, op.transpose_w);
  return computed_integer_misfit(op, args, product, product.back(), args.shape(0).back());
}

Prepared prepare(const void* op_attributes, const ArgFacts& args, PrepareContext& context) {
  const auto& op = *static_cast<const IntegerLinear*>(op_attributes);
  const Shape& x = args.shape(0);
  const Shape& w = args.shape(1);
  State s;
  const int64_t depth = x.back();
  const int64_t columns = w[w.rank() - (op.transpose_w ? 2 : 1)];
  s.matrix = {.depth = depth,
              .columns = columns,
              .inner_stride = op.transpose_w ? 1 : columns,
              .column_stride = op.transpose_w ? depth : 1};
  s.matrices = w.count() / (depth * columns);
  IntegerGemmPlan& plan = s.plan;
  plan.call.depth = depth;
  plan.call.columns = columns;
  plan.call.a_stride = depth;
  plan.result_stride = columns;
  plan.epilogue = EpilogueProgram(op, columns);
  if (s.matrices == 1) {
    plan.rows = x.count() / depth;
  } else {
    plan.rows = x.rank() == 1 ? 1 : x[x.rank() - 2];
    plan.parts.clear();
    const Shape batch_x = batch_of(x);
    const Shape batch_w = batch_of(w);
    BroadcastWalk(broadcast(batch_x, batch_w), batch_x, batch_w).each([&](int64_t i, int64_t ix, int64_t iw) {
      plan.parts.push_back({.a = ix * plan.rows * depth, .matrix = iw, .result = i * plan.rows * columns});
    });
  }
  plan.functions = &any_integer_gemm(args.kernel().isa);
  plan.matrix_bytes = Size(packed_bytes(*plan.functions, s.matrix)).rounded_up(64).bytes();
  plan.split(context.pool == nullptr ? 1 : context.pool->threads());
  const Size workspace = Size(plan.slots) * plan.scratch_bytes + Size(s.matrices) * plan.matrix_bytes;
  const size_t bytes = plan.parts.size() * sizeof(IntegerGemmPart);
  return prepared(std::move(s), workspace, bytes);
}

void run(KernelCall& call) noexcept {
  const auto& s = state_of<State>(call);
  const auto* x = call.in[0].as<const int8_t>();
  const auto* w = call.in[1].as<const int8_t>();
  const int64_t of_matrix = s.matrix.depth * s.matrix.columns;
  const IntegerGemmPlan& plan = s.plan;
  char* const packed = static_cast<char*>(call.workspace) + plan.slots * plan.scratch_bytes;
  const int64_t grain = grain_of(2 * plan.functions->lanes * s.matrix.depth);
  call.pool->parallel_for(s.matrices * plan.panels, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      IntegerMatrix matrix = s.matrix;
      const int64_t number = i / plan.panels;
      matrix.data = w + number * of_matrix;
      pack_panel(*plan.functions, matrix, i % plan.panels, packed + number * static_cast<int64_t>(plan.matrix_bytes));
    }
  });
  EpilogueOp ops[kMaxEpilogueOps];
  plan.run(x, packed, call.workspace,
           integer_result(call.attributes<IntegerLinear>(), plan.epilogue, call, ops, plan.result_stride), *call.pool);
}

template <Isa kIsa>
struct Rows {
  static constexpr std::array<Kernel, 1> kRows = {Kernel{.name = row_name<"integer_linear.computed", kIsa>(),
                                                         .op = &kOpRow<IntegerLinear>,
                                                         .isa = kIsa,
                                                         .types = kIntegerRule,
                                                         .rank = -1,
                                                         .fits = fits,
                                                         .prepare = prepare,
                                                         .run = run}};
};

constexpr auto kRows = rows_of_each_isa<Rows>();

}  // namespace

extern const KernelTable integer_matmul;
constinit const KernelTable integer_matmul = {kRows};

}  // namespace coracle::cpu::kernels
