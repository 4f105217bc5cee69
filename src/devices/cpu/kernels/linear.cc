// SPDX-License-Identifier: Apache-2.0
#include "ops/linear.h"

#include "devices/cpu/gemm_plan.h"
#include "devices/cpu/kernels/rows.h"

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

GemmShape product_shape(const Linear& op, const Shape& w) {
  return {1, w[op.transpose_w ? 1 : 0], w[op.transpose_w ? 0 : 1]};
}

template <Products P>
Misfit fits_products(const void* op_attributes, const ArgFacts& args) {
  if (const Misfit misfit = fits(op_attributes, args)) return misfit;
  if (P == Products::kFloat32) return nullptr;
  const Shape& x = args.shape(0);
  if (x.rank() < 3) return "the rows may be a batch";
  return products_misfit(P, x.count(1, x.rank() - 1),
                         product_shape(*static_cast<const Linear*>(op_attributes), args.shape(1)));
}

template <Isa I, Products P>
Prepared prepare(const void* op_attributes, const ArgFacts& args, PrepareContext& context) {
  const auto& op = *static_cast<const Linear*>(op_attributes);
  const GemmFunctions& gemm = gemm_table(I, P);
  auto state = std::make_shared<State>();
  GemmPlan& plan = state->plan;
  plan.call.shape = product_shape(op, args.shape(1));
  const int64_t depth = plan.call.shape.depth;
  const int64_t columns = plan.call.shape.columns;
  plan.call.a_stride = depth;
  plan.call.c_stride = columns;
  plan.rows = args.shape(0).count() / depth;
  plan.panels = gemm.panels(columns);
  state->epilogue = EpilogueProgram(op, columns);

  Prepared prepared;
  GemmForm form{GemmChoice(I, P)};
  form.depth = depth;
  form.columns = columns;
  form.inner = depth;
  form.inner_stride = op.transpose_w ? 1 : columns;
  form.column_stride = op.transpose_w ? depth : 1;
  prepared.weights = context.pack(form, args.index(1));
  prepared.state_bytes = sizeof(State);
  prepared.state = state;
  prepared.in_place = residual_in_place(gemm, plan, state->epilogue);
  return prepared;
}

template <Isa I, Products P>
void run(KernelCall& call) noexcept {
  const State& state = state_of<State>(call);
  EpilogueOp ops[kMaxEpilogueOps];
  state.epilogue.bind(call, 2, ops);
  run_gemm(gemm_table(I, P), state.plan, call.in[0].as<const float>(), static_cast<const float*>(call.weights),
           call.out[0].as<float>(), ops, state.epilogue.count(), *call.pool);
}

template <Isa I, Products P>
struct Rows {
  static constexpr std::array<Kernel, 1> kRows = {Kernel{.name = row_name<Linear, I, P>(),
                                                         .op = &kOpRow<Linear>,
                                                         .isa = I,
                                                         .products = P,
                                                         .fits = fits_products<P>,
                                                         .prepare = prepare<I, P>,
                                                         .run = run<I, P>}};
};

constexpr auto kRows = rows_of_all_products<Rows>();

}  // namespace

extern const KernelTable linear;
constinit const KernelTable linear = {kRows};

}  // namespace coracle::cpu::kernels
