// SPDX-License-Identifier: Apache-2.0
#include "devices/gpu/gemm.h"
#include "devices/gpu/map.h"
#include "devices/gpu/matrices.h"
#include "devices/gpu/own_convolution.h"
#include "ops/matmul/matrix_product.h"
#include "ops/quantize/integer_conv2d.h"
#include "ops/quantize/integer_linear.h"
#include "ops/quantize/to_int8.h"

/// Products and convolutions of int8, with the bits of the CPU's, and what rounds to int8.
namespace coracle::internal::gpu::kernels::integers {
namespace {

constexpr DTypes kTensors = DType::kFloat32 | DType::kInt8;  // of epilogues, and results
constexpr TypeRule kProductRule = {
    .operands = DType::kInt8, .results = kTensors, .in = {PortTypes{.port = 2, .types = kTensors}}};

/// Why kernels cannot make a product of such a shape, whose sums have so many products.
RejectionReason product_rejection(const IntegerProduct& op, const ArgFacts& args, const Shape& product,
                                  int64_t channels, int64_t terms) {
  if (terms > IntegerProduct::kMostComputedProducts) return "sums have more than 32 bits";
  if (!(product == args.out().shape)) return "the product is broadcast";
  if (const RejectionReason rejection = too_large(args)) return rejection;
  return epilogue_rejection(op, args, 2, channels);
}

RejectionReason fits_linear(const void* attributes, const ArgFacts& args) {
  const auto& op = *static_cast<const IntegerLinear*>(attributes);
  if (args.shape(0).rank() == 0) return "a scalar";
  const Shape product = matrix_product_shape(args.shape(0), args.shape(1), false, op.transpose_w);
  const int64_t terms = args.shape(0).back();
  return product_rejection(op, args, product, product.rank() == 0 ? 1 : product.back(), terms);
}

Prepared prepare_linear(const void* attributes, const ArgFacts& args, PrepareContext& context) {
  const auto& op = *static_cast<const IntegerLinear*>(attributes);
  Gemm g;
  g.matrices = matrices_of(args.shape(0), args.shape(1), false, op.transpose_w);
  g.integers = &op;
  g.first_tensor = 2;
  LaunchPlan plan;
  const int64_t workspace = add(plan, context, g, DType::kInt8);
  return prepared(std::move(plan), workspace);
}

RejectionReason fits_convolution(const void* attributes, const ArgFacts& args) {
  const auto& op = *static_cast<const IntegerConv2d*>(attributes);
  if (is_channels_last(op.data_format)) return "only channels first";
  if (args.shape(0).count() == 0) return "no elements";
  const ConvolutionGeometry g = op.geometry(args.shape(0), args.shape(1));
  const int64_t terms = g.height().kernel * g.width().kernel * (g.in_channels / g.groups);
  return product_rejection(op, args, convolution_result(g, op.data_format, 2), g.out_channels, terms);
}

Prepared prepare_convolution(const void* attributes, const ArgFacts& args, PrepareContext& context) {
  const auto& op = *static_cast<const IntegerConv2d*>(attributes);
  LaunchPlan plan;
  int64_t workspace = 0;
  if (args.out().shape.count() > 0) {
    workspace = add(plan, context,
                    OwnConvolution{.sizes = op.geometry(args.shape(0), args.shape(1)),
                                   .transposed = op.transposed,
                                   .type = DType::kInt8,
                                   .integers = &op});
  }
  return prepared(std::move(plan), workspace);
}

RejectionReason fits_rounding(const void*, const ArgFacts& args) { return too_large(args); }

Prepared prepare_rounding(const void* attributes, const ArgFacts& args, PrepareContext& context) {
  const auto& op = *static_cast<const ToInt8*>(attributes);
  Map map = map_to(args.out(), "i8");
  for (int i = 0; i < (args.has(1) ? 2 : 1); ++i) {
    map.operands.push_back(broadcast_operand(args, i, args.out(), "f32"));
  }
  map.expression = rounding_to_int8(args.has(1) ? "v0*v1" : "v0", op.scale, op.round_type, [&](float number) {
    map.numbers.push_back(number);
    return "n" + std::to_string(map.numbers.size() - 1);
  });
  LaunchPlan plan;
  add(plan, *context.device, map);
  return prepared(std::move(plan));
}

constexpr KernelDef kKernels[] = {
    {.name = IntegerLinear::kName,
     .op = &kOpSchema<IntegerLinear>,
     .types = kProductRule,
     .fits = fits_linear,
     .prepare = prepare_linear,
     .run = run_plan},
    {.name = IntegerConv2d::kName,
     .op = &kOpSchema<IntegerConv2d>,
     .types = kProductRule,
     .fits = fits_convolution,
     .prepare = prepare_convolution,
     .run = run_plan},
    {.name = ToInt8::kName,
     .op = &kOpSchema<ToInt8>,
     .types = {.operands = DType::kFloat32, .results = DType::kInt8},
     .fits = fits_rounding,
     .prepare = prepare_rounding,
     .run = run_plan},
};

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = {kKernels};

}  // namespace coracle::internal::gpu::kernels::integers
