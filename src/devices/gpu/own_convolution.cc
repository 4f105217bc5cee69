// SPDX-License-Identifier: Apache-2.0
#include "devices/gpu/own_convolution.h"

#include "devices/gpu/gemm.h"

namespace coracle::internal::gpu {
namespace {

void add_direct(LaunchPlan& plan, OpenDevice& device, const OwnConvolution& c) {
  const ConvolutionGeometry& g = c.sizes;
  const WindowAxis& h = g.height();
  const WindowAxis& w = g.width();
  const int64_t count = g.batch * g.out_channels * h.out * w.out;
  PlannedLaunch l;
  l.grid = grid_of(count);
  l.parameters = {Parameter::result(), Parameter::operand(0), Parameter::operand(1)};
  for (int64_t n : {count, g.groups, g.in_channels / g.groups, g.out_channels / g.groups, h.in, w.in, h.out, w.out,
                    h.stride, w.stride, h.pad_before, w.pad_before, h.dilation, w.dilation}) {
    l.parameters.push_back(Parameter::of(n));
  }
  Definitions d;
  if (c.integers == nullptr) d.set_stored(c.type);
  d.set("TRANSPOSED", c.transposed ? 1 : 0).set("KERNEL_H", h.kernel).set("KERNEL_W", w.kernel);
  if (c.integers == nullptr) {
    add_epilogue(c.epilogue, 2, d, l.parameters);
  } else {
    add_integer_epilogue(*c.integers, 2, d, l.parameters);
  }
  l.function = compile(device, "conv_direct", d);
  plan.push_back(std::move(l));
}

int64_t add_product(LaunchPlan& plan, const PrepareContext& context, const OwnConvolution& c) {
  const ConvolutionGeometry& g = c.sizes;
  const WindowAxis& h = g.height();
  const WindowAxis& w = g.width();
  const int64_t channels = g.in_channels / g.groups;
  const int64_t plane = h.in * w.in;
  Gemm product;
  product.a = Parameter::operand(1);
  product.b = Parameter::operand(0);
  Matrices& matrices = product.matrices;
  matrices.rows = g.out_channels / g.groups;
  matrices.columns = h.out * w.out;
  matrices.depth = channels * h.kernel * w.kernel;
  matrices.a_row = matrices.depth;
  matrices.a_depth = 1;
  matrices.batch = {{g.batch, 0, g.in_channels * plane}, {g.groups, matrices.rows * matrices.depth, channels * plane}};
  product.channels_in_rows = true;
  product.groups = g.groups;
  product.epilogue = c.epilogue;
  product.integers = c.integers;
  product.first_tensor = 2;
  Gemm::Windows windows;
  if (is_pointwise(g)) {
    matrices.b_depth = plane;
    matrices.b_column = 1;
  } else {
    windows.kernel_h = h.kernel;
    windows.kernel_w = w.kernel;
    windows.numbers = {h.in, w.in, w.out, h.stride, w.stride, h.pad_before, w.pad_before, h.dilation, w.dilation};
    product.windows = &windows;
  }
  return add(plan, context, product, c.type);
}

}  // namespace

bool OwnConvolution::is_direct() const {
  constexpr int64_t kLeastRows = 4;  // that are worth a product
  return transposed || sizes.out_channels / sizes.groups < kLeastRows;
}

bool is_pointwise(const ConvolutionGeometry& sizes) {
  const auto keeps = [](const WindowAxis& axis) {
    return axis.kernel == 1 && axis.stride == 1 && axis.pad_before == 0 && axis.in == axis.out;
  };
  return keeps(sizes.height()) && keeps(sizes.width());
}

int64_t add(LaunchPlan& plan, const PrepareContext& context, const OwnConvolution& convolution) {
  if (!convolution.is_direct()) return add_product(plan, context, convolution);
  add_direct(plan, *context.device, convolution);
  return 0;
}

}  // namespace coracle::internal::gpu
