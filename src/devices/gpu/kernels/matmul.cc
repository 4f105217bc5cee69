// SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/matmul.h"

#include "devices/gpu/gemm.h"
#include "devices/gpu/matrices.h"
#include "ops/matmul/addmm.h"
#include "ops/matmul/baddbmm.h"
#include "ops/matmul/bmm.h"
#include "ops/matmul/linear.h"
#include "ops/matmul/mv.h"

/// Products of two matrices, batch by batch, by NumPy's rule.
namespace coracle::internal::gpu::kernels::matmul {
namespace {

/// A product of operands x and x + 1.
Gemm product_of(int position, bool transpose_x, bool transpose_y, const ArgFacts& args) {
  Gemm g;
  g.a = Parameter::operand(position);
  g.b = Parameter::operand(position + 1);
  g.matrices = matrices_of(args.all_in()[static_cast<size_t>(position)]->shape,
                           args.all_in()[static_cast<size_t>(position) + 1]->shape, transpose_x, transpose_y);
  return g;
}

Prepared prepared_product(const Gemm& gemm, const ArgFacts& args, PrepareContext& context) {
  LaunchPlan plan;
  add(plan, context, gemm, args.out().dtype);
  return prepared(std::move(plan));
}

RejectionReason fits(const void*, const ArgFacts& args) {
  for (const Fact* f : args.all_in()) {
    if (f->shape.rank() == 0) return "a scalar";
  }
  return too_large(args);
}

Prepared prepare_matmul(const void* attributes, const ArgFacts& args, PrepareContext& context) {
  const auto& op = *static_cast<const Matmul*>(attributes);
  return prepared_product(product_of(0, op.transpose_x, op.transpose_y, args), args, context);
}

Prepared prepare_plain(const void*, const ArgFacts& args, PrepareContext& context) {
  return prepared_product(product_of(0, false, false, args), args, context);
}

/// What is added must lie like the result, or be one for each column.
bool one_for_each_column(const ArgFacts& args) {
  const Shape& s = args.shape(0);
  return s.rank() > 0 && s.count() == s.back() && s.back() == args.out().shape.back();
}

template <class Op>
RejectionReason fits_added(const void* op, const ArgFacts& args) {
  if (static_cast<const Op*>(op)->beta != 1.0) return "what is added is multiplied first";
  if (!(args.shape(0) == args.out().shape) && !one_for_each_column(args)) return "what is added is broadcast";
  return fits(op, args);
}

template <class Op>
Prepared prepare_added(const void* op, const ArgFacts& args, PrepareContext& context) {
  Gemm g = product_of(1, false, false, args);
  Epilogue epilogue;
  epilogue.epilogue.push_back(
      {EpilogueKind::kScaleShift, static_cast<float>(static_cast<const Op*>(op)->alpha), 0.0F, 0.0F});
  epilogue.epilogue.push_back(
      {args.shape(0) == args.out().shape ? EpilogueKind::kAddTensor : EpilogueKind::kAddChannel});
  g.epilogue = &epilogue;
  g.first_tensor = 0;
  return prepared_product(g, args, context);
}

RejectionReason fits_linear(const void* attributes, const ArgFacts& args) {
  const auto& op = *static_cast<const Linear*>(attributes);
  if (const RejectionReason rejection = fits(attributes, args)) return rejection;
  return epilogue_rejection(op, args, 2, args.out().shape.back());
}

Prepared prepare_linear(const void* attributes, const ArgFacts& args, PrepareContext& context) {
  const auto& op = *static_cast<const Linear*>(attributes);
  Gemm g = product_of(0, false, op.transpose_w, args);
  g.epilogue = &op;
  g.first_tensor = 2;
  return prepared_product(g, args, context);
}

template <class Op>
constexpr KernelDef make_kernel(RejectionReason (*fits_kernel)(const void*, const ArgFacts&),
                                Prepared (*prepare)(const void*, const ArgFacts&, PrepareContext&)) {
  return {.name = Op::kName,
          .op = &kOpSchema<Op>,
          .types = kFloatRule,
          .fits = fits_kernel,
          .prepare = prepare,
          .run = run_plan};
}

constexpr KernelDef kKernels[] = {
    make_kernel<Matmul>(fits, prepare_matmul),
    make_kernel<Bmm>(fits, prepare_plain),
    make_kernel<Mv>(fits, prepare_plain),
    make_kernel<Addmm>(fits_added<Addmm>, prepare_added<Addmm>),
    make_kernel<Baddbmm>(fits_added<Baddbmm>, prepare_added<Baddbmm>),
    make_kernel<Linear>(fits_linear, prepare_linear),
};

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = {kKernels};

}  // namespace coracle::internal::gpu::kernels::matmul
