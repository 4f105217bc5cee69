// SPDX-License-Identifier: Apache-2.0
#include "ops/linear.h"

#include "devices/cpu/gemm_plan.h"

/// Products with packed weights.
namespace coracle::cpu::kernels {
namespace {

struct State {
  GemmPlan plan;
  EpilogueProgram epilogue;
};

Misfit fits(const void* op_attributes, const ArgFacts& args) {
  const auto& op = *static_cast<const Linear*>(op_attributes);
  if (args.in(1).value == nullptr) return "the weights are not constant";
  if (args.out().shape.count() == 0 || args.in(0).shape.count() == 0) return "no elements";
  const Shape product = matrix_product_shape(args.shape(0), args.shape(1), false, op.transpose_w);
  return epilogue_misfit(op, args, 2, product, product.back());
}

template <Isa I>
Prepared prepare(const void* op_attributes, const ArgFacts& args, PrepareContext& context) {
  const auto& op = *static_cast<const Linear*>(op_attributes);
  const GemmFunctions& gemm = gemm_table(I);
  const Shape& w = args.shape(1);
  const int64_t depth = w[op.transpose_w ? 1 : 0];
  const int64_t columns = w[op.transpose_w ? 0 : 1];
  auto state = std::make_shared<State>();
  GemmPlan& plan = state->plan;
  plan.call.shape = {1, depth, columns};
  plan.call.a_stride = depth;
  plan.call.c_stride = columns;
  plan.rows = args.shape(0).count() / depth;
  plan.panels = gemm.panels(columns);
  state->epilogue = EpilogueProgram(op, columns);

  Prepared prepared;
  prepared.weights = context.shared_weights("packed", [&]() -> std::shared_ptr<const void> {
    const GemmSource source{.data = args.in(1).value->data<float>(),
                            .tap_offsets = nullptr,
                            .inner = depth,
                            .join_stride = 0,
                            .inner_stride = op.transpose_w ? 1 : columns,
                            .column_stride = op.transpose_w ? depth : 1};
    return pack_groups(gemm, plan.call.shape, source, 1, 0, *context.pool);
  });
  prepared.state_bytes = sizeof(State);
  prepared.state = state;
  prepared.in_place = residual_in_place(gemm, plan, state->epilogue);
  return prepared;
}

template <Isa I>
void run(KernelCall& call) noexcept {
  const auto& state = *static_cast<const State*>(call.state);
  PostOp ops[kMaxPostOps];
  state.epilogue.bind(call, 2, ops);
  run_gemm(gemm_table(I), state.plan, call.in[0].as<const float>(), static_cast<const float*>(call.weights),
           call.out[0].as<float>(), ops, state.epilogue.count(), *call.pool);
}

template <Isa I>
constexpr Kernel row(const char* name) {
  return {.name = name, .op = &kOpRow<Linear>, .isa = I, .fits = fits, .prepare = prepare<I>, .run = run<I>};
}

constexpr Kernel kRows[] = {
#if defined(__x86_64__)
    row<Isa::kAvx512>("linear.avx512"),
    row<Isa::kAvx2>("linear.avx2"),
    row<Isa::kSse2>("linear.sse2"),
#else
    row<Isa::kNeon>("linear.neon"),
#endif
};

}  // namespace

extern const KernelTable linear;
constinit const KernelTable linear = {kRows};

}  // namespace coracle::cpu::kernels
