// SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/linear.h"

#include "devices/cpu/kernel_isa.h"
#include "devices/cpu/kernels/kernel_table.h"
#include "devices/cpu/narrow_gemm.h"
#include "devices/cpu/tile_cost.h"

/// Products with packed weights.
namespace coracle::internal::cpu::kernels::linear {
namespace {

struct State {
  const GemmFunctions* gemm = nullptr;
  GemmPlan plan;
  EpilogueProgram epilogue;
};

RejectionReason fits(const void* op_attributes, const ArgFacts& args) {
  const auto& op = *static_cast<const Linear*>(op_attributes);
  if (args.in(1).value == nullptr) return "the weights are not constant";
  if (args.out().shape.count() == 0 || args.in(0).shape.count() == 0) return "no elements";
  const Shape product = matrix_product_shape(args.shape(0), args.shape(1), false, op.transpose_w);
  return epilogue_rejection(op, args, 2, product, product.back());
}

GemmShape product_shape(const Linear& op, const Shape& w) {
  return {1, w[op.transpose_w ? 1 : 0], w[op.transpose_w ? 0 : 1]};
}

RejectionReason fits_products(const void* op_attributes, const ArgFacts& args) {
  if (const RejectionReason rejection = fits(op_attributes, args)) return rejection;
  if (kernel_mode(args.kernel()) == ComputeMode::kFloat32) return nullptr;
  const Shape& x = args.shape(0);
  if (x.rank() < 3) return "the rows may be a batch";
  return mode_rejection(kernel_mode(args.kernel()), x.count(1, x.rank() - 1),
                        product_shape(*static_cast<const Linear*>(op_attributes), args.shape(1)));
}

std::optional<CostEstimate> cost(const void* op_attributes, const ArgFacts& args) {
  const Shape& x = args.shape(0);
  return tile_cost(kernel_mode(args.kernel()),
                   {.rows = x.count(1, x.rank() - 1),
                    .shape = product_shape(*static_cast<const Linear*>(op_attributes), args.shape(1))});
}

GemmPlan plan_of(const Linear& op, const ArgFacts& args, const GemmFunctions& gemm) {
  GemmPlan plan;
  plan.call.shape = product_shape(op, args.shape(1));
  plan.call.a_stride = plan.call.shape.depth;
  plan.call.c_stride = plan.call.shape.columns;
  plan.rows = args.shape(0).count() / plan.call.shape.depth;
  plan.panels = gemm.panels(plan.call.shape.columns);
  return plan;
}

GemmForm form_of(const Linear& op, const KernelDef& kernel, const GemmShape& shape) {
  GemmForm form{GemmChoice(kernel)};
  form.depth = shape.depth;
  form.columns = shape.columns;
  form.inner = shape.depth;
  form.inner_stride = op.transpose_w ? 1 : shape.columns;
  form.column_stride = op.transpose_w ? shape.depth : 1;
  return form;
}

Prepared prepare(const void* op_attributes, const ArgFacts& args, PrepareContext& context) {
  const auto& op = *static_cast<const Linear*>(op_attributes);
  const GemmFunctions& gemm = gemm_table(args.kernel());
  auto state = std::make_shared<State>();
  state->gemm = &gemm;
  state->plan = plan_of(op, args, gemm);
  const GemmShape& shape = state->plan.call.shape;
  state->epilogue = EpilogueProgram(op, shape.columns);

  Prepared prepared;
  prepared.weights = context.pack(form_of(op, args.kernel(), shape), args.index(1));
  prepared.state_bytes = sizeof(State);
  prepared.state = state;
  prepared.in_place = residual_in_place(gemm, state->plan, state->epilogue);
  return prepared;
}

void run(KernelCall& call) noexcept {
  const State& state = state_of<State>(call);
  EpilogueOp ops[kMaxEpilogueOps];
  state.epilogue.bind(call, 2, ops);
  run_gemm(*state.gemm, state.plan, call.in[0].as<const float>(), static_cast<const float*>(call.weights),
           call.out[0].as<float>(), ops, state.epilogue.count(), *call.pool);
}

struct NarrowState {
  NarrowPlan plan;
  EpilogueProgram epilogue;
};

/// Weights stay in 16 or 8 bits.
Prepared prepare_narrow(const void* op_attributes, const ArgFacts& args, PrepareContext& context) {
  const auto& op = *static_cast<const Linear*>(op_attributes);
  const GemmFunctions& gemm = gemm_table(args.kernel());
  const GemmPlan plan = plan_of(op, args, gemm);
  const GemmShape& shape = plan.call.shape;
  const NarrowForm form(form_of(op, args.kernel(), shape), args.in(1).dtype);
  NarrowState state{NarrowPlan(gemm, plan, form.layout()), EpilogueProgram(op, shape.columns)};
  const int in_place = residual_in_place(gemm, plan, state.epilogue);
  const size_t workspace = state.plan.workspace(context.pool->threads());
  Prepared prepared = kernels::prepared(std::move(state), workspace);
  prepared.weights = context.pack(form, args.index(1));
  prepared.in_place = in_place;
  return prepared;
}

void run_narrow(KernelCall& call) noexcept {
  const NarrowState& state = state_of<NarrowState>(call);
  EpilogueOp ops[kMaxEpilogueOps];
  state.epilogue.bind(call, 2, ops);
  state.plan.run(call.in[0].as<const float>(), call.weights, call.out[0].as<float>(), ops, state.epilogue.count(),
                 call.workspace, *call.pool);
}

template <Isa I>
struct NarrowKernels {
  static constexpr std::array<KernelDef, 1> kKernels = {KernelDef{.name = kernel_name<"linear.narrow", I>(),
                                                                  .op = &kOpSchema<Linear>,
                                                                  .capability = I,
                                                                  .types = {.in = {{{1, kNarrowTypes}}}},
                                                                  .fits = fits,
                                                                  .prepare = prepare_narrow,
                                                                  .run = run_narrow}};
};

template <Isa I, ComputeMode P>
struct IsaKernels {
  static constexpr std::array<KernelDef, 1> kKernels = {
      KernelDef{.name = kernel_name<Linear, I, P>(),
                .op = &kOpSchema<Linear>,
                .capability = I,
                .mode = P,
                .fits = fits_products,
                .estimate = P == ComputeMode::kFloat32 ? nullptr : cost,
                .prepare = prepare,
                .run = run}};
};

constexpr auto kKernels =
    kernel_table_detail::join(kernels_of_all_products<IsaKernels>(), kernels_of_each_isa<NarrowKernels>());

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = kernel_table<kKernels>();

}  // namespace coracle::internal::cpu::kernels::linear
