// SPDX-License-Identifier: Apache-2.0
#include "ops/conv_pool/conv2d.h"
#include "ops/conv_pool/conv2d_fused.h"
#include "ops/conv_pool/conv2d_transpose.h"
#include "ops/conv_pool/conv2d_transpose_fused.h"
#include "ops/conv_pool/depthwise_conv2d.h"
#include "ops/conv_pool/depthwise_conv2d_transpose.h"
#include "passes/narrow_weights.h"
#include "passes/passes.h"

/// Brings two-dimensional convolutions with constant weights into the forms that carry an epilogue; further passes
/// fill it.
namespace coracle::internal {
namespace {

/// Numbers in an epilogue are float32, which is enough for all element types but float64.
bool is_double(const Match& m, PatternSlot x) { return m.fact(x).dtype == DType::kFloat64; }

/// conv2d(x, w), depthwise_conv2d(x, w)  ->  conv2d_fused(x, w)
template <class Convolution>
Rewrite forward() {
  Pattern p;
  const auto x = p.any();
  const auto w = p.any();
  const auto conv = p.op<Convolution>({x, w});
  return {p, conv, [=](const Match& m, Patch& patch) {
            if (is_double(m, x) || !is_constant_weight(m.graph(), m[w])) return false;
            Conv2dFused fused;
            static_cast<ConvolutionAttributes&>(fused) = m[conv];
            patch.replace(m.output(conv), patch.add(fused, {{m[x]}, {m[w]}, {}}));
            return true;
          }};
}

/// conv2d_transpose(x, w) without an output size  ->  conv2d_transpose_fused(x, w)
template <class Convolution>
Rewrite transposed() {
  Pattern p;
  const auto x = p.any();
  const auto w = p.constant();
  const auto conv = p.op<Convolution>({x, w});
  return {p, conv, [=](const Match& m, Patch& patch) {
            if (is_double(m, x)) return false;
            const ValueId size = m.node(conv).input(2);
            if (size != kNoValue && !(m.graph().value(size).is_constant() && m.fact(size).shape.count() == 0))
              return false;
            Conv2dTransposeFused fused;
            static_cast<ConvolutionAttributes&>(fused) = m[conv];
            fused.output_padding = m[conv].output_padding;
            patch.replace(m.output(conv), patch.add(fused, {{m[x]}, {m[w]}, {}}));
            return true;
          }};
}

}  // namespace

Pass fuse_convolution() {
  return {.name = "fuse_convolution",
          .rewrites = {forward<Conv2d>(), forward<DepthwiseConv2d>(), transposed<Conv2dTranspose>(),
                       transposed<DepthwiseConv2dTranspose>()}};
}

}  // namespace coracle::internal
