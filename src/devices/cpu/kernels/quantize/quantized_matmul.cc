// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "devices/cpu/kernel_isa.h"
#include "devices/cpu/kernels/kernel_table.h"
#include "devices/cpu/quantized_panels.h"
#include "devices/cpu/quantized_plan.h"
#include "ops/quantize/integer_linear.h"

/// Products of two computed int8 matrices, batch by batch; the second ones are packed in each run.
namespace coracle::internal::cpu::kernels::quantized_matmul {
namespace {

/// One matrix of operand 1.
QuantizedMatrix matrix_for(const IntegerLinear& op, const int8_t* data, const QuantizedGemmCall& product) {
  return {.data = data,
          .depth = product.depth,
          .columns = product.columns,
          .inner_stride = op.transpose_w ? 1 : product.columns,
          .column_stride = op.transpose_w ? product.depth : 1};
}

/// The number of the matrix of `s` that makes matrix `number` of the results [..., rows, columns].
int64_t matrix_of(const Shape& s, const Shape& results, int64_t number) {
  int64_t matrix = 0;
  int64_t stride = 1;
  for (int d = 3; d <= s.rank(); ++d) {
    const int64_t size = s[s.rank() - d];
    const int64_t of_results = results[results.rank() - d];
    if (size > 1) matrix += number % of_results * stride;
    number /= of_results;
    stride *= size;
  }
  return matrix;
}

RejectionReason fits(const void* op_attributes, const ArgFacts& args) {
  const auto& op = *static_cast<const IntegerLinear*>(op_attributes);
  const Shape product = matrix_product_shape(args.shape(0), args.shape(1), false, op.transpose_w);
  return computed_quantized_rejection(op, args, product, product.back(), args.shape(0).back());
}

[[gnu::cold]] Prepared prepare(const void* op_attributes, const ArgFacts& args, PrepareContext& context) {
  const auto& op = *static_cast<const IntegerLinear*>(op_attributes);
  const Shape& x = args.shape(0);
  const Shape& w = args.shape(1);
  auto state = std::make_shared<QuantizedGemmPlan>();
  QuantizedGemmPlan& plan = *state;
  const int64_t depth = x.back();
  const int64_t columns = w[w.rank() - (op.transpose_w ? 2 : 1)];
  const int64_t matrices = w.count() / (depth * columns);
  plan.call.depth = depth;
  plan.call.columns = columns;
  plan.call.a_stride = depth;
  plan.result_stride = columns;
  plan.epilogue = EpilogueProgram(op, columns);
  if (matrices == 1) {
    plan.rows = x.count() / depth;
  } else {
    plan.rows = x.rank() == 1 ? 1 : x[x.rank() - 2];
    // The results have the dimensions of matrices: where x is a vector, its one row.
    Shape results = args.out().shape;
    if (x.rank() == 1) results.insert(results.rank() - 1, 1);
    plan.parts.clear();
    for (int64_t i = 0, n = results.count(0, results.rank() - 2); i < n; ++i) {
      plan.parts.push_back({.a = matrix_of(x, results, i) * plan.rows * depth,
                            .matrix = matrix_of(w, results, i),
                            .result = i * plan.rows * columns});
    }
  }
  plan.functions = &any_quantized_gemm(kernel_isa(args.kernel()));
  plan.matrix_bytes = Size(packed_bytes(*plan.functions, matrix_for(op, nullptr, plan.call))).rounded_up(64).bytes();
  plan.split(context.pool == nullptr ? 1 : context.pool->threads());
  Prepared prepared;
  prepared.workspace = bytes_of<char>(Size(plan.slots) * plan.scratch_bytes + Size(matrices) * plan.matrix_bytes);
  prepared.state_bytes = plan.bytes();
  prepared.state = std::move(state);
  return prepared;
}

void run(KernelCall& call) noexcept {
  const auto& op = call.attributes<IntegerLinear>();
  const auto& plan = state_of<QuantizedGemmPlan>(call);
  const int64_t of_matrix = plan.call.depth * plan.call.columns;
  const int64_t matrices = call.in[1].fact->shape.count() / of_matrix;
  char* const packed = static_cast<char*>(call.workspace) + plan.slots * plan.scratch_bytes;
  const int64_t grain = grain_of(2 * plan.functions->lanes * plan.call.depth);
  call.pool->parallel_for(matrices * plan.panels, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t number = i / plan.panels;
      const auto* data = call.in[1].as<const int8_t>() + number * of_matrix;
      pack_panel(*plan.functions, matrix_for(op, data, plan.call), i % plan.panels,
                 packed + number * static_cast<int64_t>(plan.matrix_bytes));
    }
  });
  EpilogueOp ops[kMaxEpilogueOps];
  plan.run(call.in[0].as<const int8_t>(), packed, call.workspace,
           quantized_result(op, plan.epilogue, call, ops, plan.result_stride), *call.pool);
}

template <Isa kIsa>
struct IsaKernels {
  static constexpr std::array<KernelDef, 1> kKernels = {
      KernelDef{.name = kernel_name<"integer_linear.computed", kIsa>(),
                .op = &kOpSchema<IntegerLinear>,
                .capability = kIsa,
                .types = kQuantizedRule,
                .rank = -1,
                .fits = fits,
                .prepare = prepare,
                .run = run}};
};

constexpr auto kKernels = kernels_of_each_isa<IsaKernels>();

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = kernel_table<kKernels>();

}  // namespace coracle::internal::cpu::kernels::quantized_matmul
