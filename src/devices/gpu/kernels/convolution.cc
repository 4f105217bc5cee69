// SPDX-License-Identifier: Apache-2.0
#include "ops/conv_pool/convolution.h"

#include "devices/gpu/library_steps.h"
#include "devices/gpu/own_convolution.h"
#include "ops/conv_pool/conv2d.h"
#include "ops/conv_pool/conv2d_fused.h"
#include "ops/conv_pool/conv2d_transpose.h"
#include "ops/conv_pool/conv2d_transpose_fused.h"
#include "ops/conv_pool/depthwise_conv2d.h"
#include "ops/conv_pool/depthwise_conv2d_transpose.h"

/// Convolutions of images: by a library of the device's maker, or products of the filter with what the windows hold
/// (gemm.cl); one item for each element of the result where groups have few channels, and where they are transposed
/// (conv_direct.cl).
namespace coracle::internal::gpu::kernels::convolution {
namespace {

/// An operator's sizes.
template <class Op>
ConvolutionGeometry geometry_of(const Op& op, const ArgFacts& args) {
  if constexpr (requires { op.output_padding; }) {
    const Tensor* size = nullptr;
    if constexpr (!std::is_base_of_v<Epilogue, Op>) size = known_value(args, 2);
    return transposed_geometry(op, op.output_padding, size == nullptr ? Ints{} : size->integers(), args.shape(0),
                               args.shape(1), 2);
  } else {
    return convolution_geometry(op, args.shape(0), args.shape(1), 2);
  }
}

template <class Op>
RejectionReason fits(const void* attributes, const ArgFacts& args) {
  const auto& op = *static_cast<const Op*>(attributes);
  if (is_channels_last(op.data_format)) return "only channels first";
  if (args.shape(0).count() == 0) return "no elements";
  if (const RejectionReason rejection = too_large(args)) return rejection;
  if constexpr (std::is_base_of_v<Epilogue, Op>) return epilogue_rejection(op, args, 2, args.out().shape[1]);
  if constexpr (requires { op.output_padding; } && !std::is_base_of_v<Epilogue, Op>) {
    if (args.has(2) && known_value(args, 2) == nullptr) return "the output size is not constant";
  }
  return nullptr;
}

/// By a library, and the steps that it has not by a kernel; false where there is none that takes the convolution.
/// Libraries that do some steps with a sum may take the convolution only without.
bool add_by_library(LaunchPlan& plan, const ConvolutionGeometry& g, const Epilogue* epilogue, const ArgFacts& args,
                    const PrepareContext& context) {
  // Of float16, libraries compute products on matrix units, and convolutions as they are here without.
  if (args.out().dtype == DType::kFloat16 && is_pointwise(g) && g.groups == 1) return false;
  const LibrarySteps first_steps = LibrarySteps::of(epilogue, 2, {.bias = true});
  for (const LibrarySteps& steps : {first_steps, LibrarySteps{}}) {
    PlannedLaunch l;
    l.function = static_cast<OpenGpu&>(*context.device)
                     .convolution({.sizes = g,
                                   .type = args.out().dtype,
                                   .precision = context.precision,
                                   .has_added = steps.has_added,
                                   .has_bias = steps.has_bias,
                                   .relu = steps.activation == Product::Activation::kRelu,
                                   .may_have_workspace = true});
    if (l.function != nullptr) {
      l.parameters = {Parameter::result(), Parameter::operand(0), Parameter::operand(1)};
      l.parameters.insert(l.parameters.end(), steps.tensors.begin(), steps.tensors.end());
      plan.push_back(std::move(l));
      const LibraryResult result = {args.out().dtype, args.out().shape.count(), g.out_channels,
                                    g.height().out * g.width().out, true};
      add_other_steps(plan, *context.device, result, epilogue, 2, steps);
      return true;
    }
    if (first_steps.count == 0) break;
  }
  return false;
}

template <class Op>
Prepared prepare(const void* attributes, const ArgFacts& args, PrepareContext& context) {
  const auto& op = *static_cast<const Op*>(attributes);
  constexpr bool kTransposed = requires { op.output_padding; };
  const ConvolutionGeometry g = geometry_of(op, args);
  const Epilogue* epilogue = nullptr;
  if constexpr (std::is_base_of_v<Epilogue, Op>) epilogue = &op;
  LaunchPlan plan;
  if (args.out().shape.count() > 0) {
    const OwnConvolution own = {.sizes = g, .transposed = kTransposed, .type = args.out().dtype, .epilogue = epilogue};
    if (own.is_direct() || !add_by_library(plan, g, epilogue, args, context)) add(plan, context, own);
  }
  return prepared(std::move(plan));
}

template <class... Ops>
constexpr std::array<KernelDef, sizeof...(Ops)> kernels_of() {
  return {KernelDef{.name = Ops::kName,
                    .op = &kOpSchema<Ops>,
                    .types = kFloatRule,
                    .fits = fits<Ops>,
                    .prepare = prepare<Ops>,
                    .run = run_plan}...};
}

constexpr auto kKernels =
    kernels_of<Conv2d, DepthwiseConv2d, Conv2dFused, Conv2dTranspose, DepthwiseConv2dTranspose, Conv2dTransposeFused>();

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = {kKernels};

}  // namespace coracle::internal::gpu::kernels::convolution
