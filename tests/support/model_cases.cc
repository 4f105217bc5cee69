// SPDX-License-Identifier: Apache-2.0
#include "support/model_cases.h"

#include "ops/activation/softmax.h"
#include "ops/conv_pool/conv2d_fused.h"
#include "ops/conv_pool/conv2d_transpose_fused.h"
#include "ops/matmul/linear.h"
#include "ops/matmul/matmul.h"
#include "ops/norm/layer_norm.h"
#include "ops/quantize/weight_only_linear.h"

namespace coracle::internal::test {
namespace {

struct NamedConvolution {
  const char* name;
  Convolution shape;
};

constexpr NamedConvolution kConvolutions[] = {
    {"det first 3x3s2 3-16 @640", {1, 3, 16, 640, 640, 3, 3, 2, 1, 1, 1}},
    {"det pointwise 16-32 @320", {1, 16, 32, 320, 320, 1, 1, 1, 0, 1, 1}},
    {"det pointwise 48-48 @160", {1, 48, 48, 160, 160, 1, 1, 1, 0, 1, 1}},
    {"det pointwise 96-96 @80", {1, 96, 96, 80, 80, 1, 1, 1, 0, 1, 1}},
    {"det pointwise 192-192 @40", {1, 192, 192, 40, 40, 1, 1, 1, 0, 1, 1}},
    {"det pointwise 384-384 @20", {1, 384, 384, 20, 20, 1, 1, 1, 0, 1, 1}},
    {"det neck pointwise 12-96 @160", {1, 12, 96, 160, 160, 1, 1, 1, 0, 1, 1}},
    {"det neck 3x3 96-24 @160", {1, 96, 24, 160, 160, 3, 3, 1, 1, 1, 1}},
    {"det squeeze-excite 384-96 @1", {1, 384, 96, 1, 1, 1, 1, 1, 0, 1, 1}},
    {"rec first 3x3s2 3-16 @48x320", {1, 3, 16, 48, 320, 3, 3, 2, 1, 1, 1}},
    {"rec pointwise 64-64 @24x160", {1, 64, 64, 24, 160, 1, 1, 1, 0, 1, 1}},
    {"rec pointwise 240-240 @12x80", {1, 240, 240, 12, 80, 1, 1, 1, 0, 1, 1}},
    {"rec pointwise 480-480 @3x80", {1, 480, 480, 3, 80, 1, 1, 1, 0, 1, 1}},
    {"rec 1x3 480-60 @1x40", {1, 480, 60, 1, 40, 1, 3, 1, 0, 1, 1, 1, 1}},
    {"resnet first 7x7s2 3-64 @224", {1, 3, 64, 224, 224, 7, 7, 2, 3, 1, 1}},
    {"resnet 3x3 64-64 @56", {1, 64, 64, 56, 56, 3, 3, 1, 1, 1, 1}},
    {"resnet pointwise 256-64 @56", {1, 256, 64, 56, 56, 1, 1, 1, 0, 1, 1}},
    {"resnet pointwise 64-256 @56", {1, 64, 256, 56, 56, 1, 1, 1, 0, 1, 1}},
    {"resnet 3x3 128-128 @28", {1, 128, 128, 28, 28, 3, 3, 1, 1, 1, 1}},
    {"resnet 3x3s2 256-256 @28", {1, 256, 256, 28, 28, 3, 3, 2, 1, 1, 1}},
    {"resnet 3x3 256-256 @14", {1, 256, 256, 14, 14, 3, 3, 1, 1, 1, 1}},
    {"resnet pointwise 1024-256 @14", {1, 1024, 256, 14, 14, 1, 1, 1, 0, 1, 1}},
    {"resnet 3x3 512-512 @7", {1, 512, 512, 7, 7, 3, 3, 1, 1, 1, 1}},
    {"resnet pointwise 512-2048 @7", {1, 512, 2048, 7, 7, 1, 1, 1, 0, 1, 1}},
    {"mobilenet pointwise 32-64 @112", {1, 32, 64, 112, 112, 1, 1, 1, 0, 1, 1}},
    {"mobilenet pointwise 512-512 @14", {1, 512, 512, 14, 14, 1, 1, 1, 0, 1, 1}},
    {"mobilenet pointwise 1024-1024 @7", {1, 1024, 1024, 7, 7, 1, 1, 1, 0, 1, 1}},
    // One filter for each channel
    {"det 3x3 16 @320", {1, 16, 16, 320, 320, 3, 3, 1, 1, 1, 16}},
    {"det 3x3s2 32 @320", {1, 32, 32, 320, 320, 3, 3, 2, 1, 1, 32}},
    {"det 3x3 48 @160", {1, 48, 48, 160, 160, 3, 3, 1, 1, 1, 48}},
    {"det 3x3 96 @80", {1, 96, 96, 80, 80, 3, 3, 1, 1, 1, 96}},
    {"det 5x5 192 @40", {1, 192, 192, 40, 40, 5, 5, 1, 2, 1, 192}},
    {"det 5x5 384 @20", {1, 384, 384, 20, 20, 5, 5, 1, 2, 1, 384}},
    {"rec 3x3 64 @24x160", {1, 64, 64, 24, 160, 3, 3, 1, 1, 1, 64}},
    {"rec 3x3s2x1 64 @24x160", {1, 64, 64, 24, 160, 3, 3, 2, 1, 1, 64, 1}},
    {"rec 5x5 240 @12x80", {1, 240, 240, 12, 80, 5, 5, 1, 2, 1, 240}},
    {"rec 5x5 480 @3x80", {1, 480, 480, 3, 80, 5, 5, 1, 2, 1, 480}},
    {"mobilenet 3x3 32 @112", {1, 32, 32, 112, 112, 3, 3, 1, 1, 1, 32}},
    {"mobilenet 3x3s2 64 @112", {1, 64, 64, 112, 112, 3, 3, 2, 1, 1, 64}},
    {"mobilenet 3x3 512 @14", {1, 512, 512, 14, 14, 3, 3, 1, 1, 1, 512}},
    {"mobilenet 3x3 1024 @7", {1, 1024, 1024, 7, 7, 3, 3, 1, 1, 1, 1024}},
};

struct NamedTransposed {
  const char* name;
  Transposed shape;
};

constexpr NamedTransposed kTransposed[] = {
    {"det head 2x2s2 24-24 @160", {1, 24, 24, 160, 160, 2, 2, 0, 1, 0, 1}},
    {"det head 2x2s2 24-1 @320", {1, 24, 1, 320, 320, 2, 2, 0, 1, 0, 1}},
    {"unet 4x4s2 64-32 @56", {1, 64, 32, 56, 56, 4, 2, 1, 1, 0, 1}},
};

struct Product {
  const char* name;
  int64_t rows, depth, columns;
};

constexpr Product kProducts[] = {
    {"bert 128x768-768", 128, 768, 768},       {"bert 128x768-3072", 128, 768, 3072},
    {"bert 128x3072-768", 128, 3072, 768},     {"vit 197x768-2304", 197, 768, 2304},
    {"rec 40x120-360", 40, 120, 360},          {"rec classes 40x120-6625", 40, 120, 6625},
    {"classifier 1x2048-1000", 1, 2048, 1000}, {"one token 1x768-3072", 1, 768, 3072},
    {"eight tokens 8x768-3072", 8, 768, 3072},
};

/// Weights in fewer bits, for one token and some, and for rows enough to repay widening them first.
constexpr Product kNarrowProducts[] = {
    {"1x768-3072", 1, 768, 3072},   {"1x1024-4096", 1, 1024, 4096}, {"1x4096-4096", 1, 4096, 4096},
    {"8x768-3072", 8, 768, 3072},   {"16x768-3072", 16, 768, 3072}, {"128x768-3072", 128, 768, 3072},
    {"40x120-6625", 40, 120, 6625},
};

struct BatchedProduct {
  const char* name;
  int64_t heads, rows, depth, columns;
  bool transpose_y;
};

constexpr BatchedProduct kBatchedProducts[] = {
    {"bert scores 12x128x64x128", 12, 128, 64, 128, true}, {"bert values 12x128x128x64", 12, 128, 128, 64, false},
    {"vit scores 12x197x64x197", 12, 197, 64, 197, true},  {"rec scores 8x40x15x40", 8, 40, 15, 40, false},
    {"rec values 8x40x40x15", 8, 40, 40, 15, false},
};

struct NamedRecurrence {
  const char* name;
  Recurrence shape;
};

constexpr NamedRecurrence kRecurrences[] = {
    {"crnn LSTM both ways 80x1x128-96", {RnnMode::kLstm, 1, true, 80, 1, 128, 96}},
    {"LSTM both ways 40x8x256-256", {RnnMode::kLstm, 1, true, 40, 8, 256, 256}},
    {"GRU 64x1x128-128", {RnnMode::kGru, 1, false, 64, 1, 128, 128}},
};

struct Rows {
  const char* name;
  Shape shape;
};

int64_t pixels(int64_t size, int64_t kernel, int64_t stride, int64_t pad, int64_t dilation) {
  return (size + 2 * pad - (kernel - 1) * dilation - 1) / stride + 1;
}

/// The convolution with both strides and paddings given.
Convolution complete(Convolution p) {
  if (p.stride_w == 0) p.stride_w = p.stride;
  if (p.pad_w < 0) p.pad_w = p.pad;
  return p;
}

Shape result_of(const Convolution& p) {
  return {p.batch, p.out, pixels(p.h, p.kernel_h, p.stride, p.pad, p.dilation),
          pixels(p.w, p.kernel_w, p.stride_w, p.pad_w, p.dilation)};
}

double flops_of(const Convolution& p) {
  return 2.0 * static_cast<double>(result_of(complete(p)).count() * p.in / p.groups * p.kernel_h * p.kernel_w);
}

KernelCase product_case(const Product& p) {
  Linear linear;
  linear.epilogue = {kAddChannel};
  return {.op = linear,
          .in = {random_floats({1, p.rows, p.depth}, -1, 1, 1), random_floats({p.depth, p.columns}, -1, 1, 2),
                 random_floats({p.columns}, -1, 1, 3)}};
}

KernelCase float16_product_case(const Product& p) {
  KernelCase c = product_case(p);
  const Tensor weights = std::exchange(c.in[1], Tensor::make(DType::kFloat16, c.in[1].shape()));
  c.in[1].assign(weights.doubles());
  return c;
}

KernelCase int8_product_case(const Product& p) {
  Linear linear;
  linear.epilogue = {kMultiplyChannel, kAddChannel};
  KernelCase c = product_case(p);
  c.op = linear;
  c.in[1] = random_ints(c.in[1].shape(), -127, 128, DType::kInt8, 2);
  c.in.insert(c.in.begin() + 2, random_floats({p.columns}, 0.001, 0.01, 4));
  c.in_counts = {1, 1, 2};
  return c;
}

/// Depth in groups that have a step each.
constexpr int64_t kGroup = 64;

KernelCase int4_product_case(const Product& p) {
  WeightOnlyLinear four;
  four.weight_dtype = "int4";
  four.group_size = kGroup;
  return {.op = four,
          .in = {random_floats({1, p.rows, p.depth}, -1, 1, 1),
                 random_ints({p.columns / 2, p.depth}, -127, 128, DType::kInt8, 2),
                 random_floats({p.columns}, -1, 1, 3), random_floats({p.depth / kGroup, p.columns}, 0.01, 0.1, 4)}};
}

KernelCase batched_product_case(const BatchedProduct& p) {
  Matmul matmul;
  matmul.transpose_y = p.transpose_y;
  const Shape y = p.transpose_y ? Shape{1, p.heads, p.columns, p.depth} : Shape{1, p.heads, p.depth, p.columns};
  return {.op = matmul, .in = {random_floats({1, p.heads, p.rows, p.depth}, -1, 1, 1), random_floats(y, -1, 1, 2)}};
}

KernelCase layer_norm_case(int64_t rows, int64_t columns) {
  LayerNorm norm;
  norm.begin_norm_axis = 2;
  return {.op = norm,
          .in = {random_floats({1, rows, columns}, -1, 1, 1), random_floats({columns}, -1, 1, 2),
                 random_floats({columns}, -1, 1, 3)}};
}

double flops_of(const Recurrence& p) {
  Rnn rnn;
  rnn.mode = p.mode;
  const int64_t rows = int64_t{rnn.gates()} * p.hidden;
  return 2.0 * static_cast<double>(p.time * p.batch * rows * (p.width + p.hidden) * (p.both_ways ? 2 : 1));
}

std::vector<ModelCase> made_cases() {
  std::vector<ModelCase> cases;
  const auto add = [&](std::string name, double flops, auto make) {
    cases.push_back({std::move(name), flops, std::move(make)});
  };
  for (const NamedConvolution& c : kConvolutions) {
    add(c.name, flops_of(c.shape), [&c] { return convolution_case(c.shape, {kAddChannel, kRelu}); });
  }
  for (const NamedTransposed& c : kTransposed) {
    const Transposed& p = c.shape;
    add(c.name, 2.0 * static_cast<double>(p.h * p.w * p.in * p.out * p.kernel * p.kernel), [&p] {
      return transposed_case(p, {kAddChannel, kRelu});
    });
  }
  const auto flops_of_product = [](const Product& p) {
    return 2.0 * static_cast<double>(p.rows * p.depth * p.columns);
  };
  for (const Product& p : kNarrowProducts) {
    const std::string shape = p.name;
    add("float32 " + shape, flops_of_product(p), [&p] { return product_case(p); });
    add("float16 " + shape, flops_of_product(p), [&p] { return float16_product_case(p); });
    add("int8 " + shape, flops_of_product(p), [&p] { return int8_product_case(p); });
    if (p.depth % kGroup == 0) add("int4 " + shape, flops_of_product(p), [&p] { return int4_product_case(p); });
  }
  for (const Product& p : kProducts) add(p.name, flops_of_product(p), [&p] { return product_case(p); });
  for (const BatchedProduct& p : kBatchedProducts) {
    add(p.name, 2.0 * static_cast<double>(p.heads * p.rows * p.depth * p.columns),
        [&p] { return batched_product_case(p); });
  }
  for (const auto& [name, shape] :
       {Rows{"bert attention 12x128x128", {1, 12, 128, 128}}, Rows{"rec attention 8x40x40", {1, 8, 40, 40}},
        Rows{"rec classes 40x6625", {1, 40, 6625}}}) {
    add(name, 0, [shape = shape] { return KernelCase{.op = Softmax{}, .in = {random_floats(shape, -1, 1)}}; });
  }
  add("bert 128x768", 0, [] { return layer_norm_case(128, 768); });
  add("rec 40x120", 0, [] { return layer_norm_case(40, 120); });
  for (const NamedRecurrence& c : kRecurrences) {
    add(c.name, flops_of(c.shape), [&c] { return recurrence_case(c.shape); });
  }
  return cases;
}

}  // namespace

void add_epilogue(KernelCase& c, const Steps& steps, const Shape& result, int64_t channels) {
  int tensors = 0;
  for (const EpilogueStep& step : steps) {
    if (!takes_tensor(step.kind)) continue;
    const bool by_channel = step.kind == EpilogueKind::kAddChannel || step.kind == EpilogueKind::kMultiplyChannel;
    c.in.push_back(random_floats(by_channel ? Shape{channels} : result, -1, 1, 10 + static_cast<unsigned>(tensors)));
    ++tensors;
  }
  c.in_counts = {1, 1, tensors};
}

KernelCase convolution_case(const Convolution& given, const Steps& steps) {
  const Convolution p = complete(given);
  Conv2dFused op;
  op.strides = {p.stride, p.stride_w};
  op.paddings = {p.pad, p.pad_w};
  op.dilations = {p.dilation, p.dilation};
  op.groups = static_cast<int>(p.groups);
  op.epilogue = steps;
  KernelCase c{.op = op,
               .in = {random_floats({p.batch, p.in, p.h, p.w}, -1, 1, 1),
                      random_floats({p.out, p.in / p.groups, p.kernel_h, p.kernel_w}, -0.5, 0.5, 2)}};
  add_epilogue(c, steps, result_of(p), p.out);
  return c;
}

KernelCase transposed_case(const Transposed& p, const Steps& steps) {
  Conv2dTransposeFused op;
  op.strides = {p.stride, p.stride};
  op.paddings = {p.pad, p.pad};
  op.dilations = {p.dilation, p.dilation};
  op.groups = static_cast<int>(p.groups);
  if (p.output_padding != 0) op.output_padding = {p.output_padding, p.output_padding};
  op.epilogue = steps;
  const auto size = [&](int64_t in) {
    return (in - 1) * p.stride - 2 * p.pad + p.dilation * (p.kernel - 1) + 1 + p.output_padding;
  };
  KernelCase c{.op = op,
               .in = {random_floats({p.batch, p.in, p.h, p.w}, -1, 1, 1),
                      random_floats({p.in, p.out / p.groups, p.kernel, p.kernel}, -0.5, 0.5, 2)}};
  add_epilogue(c, steps, {p.batch, p.out, size(p.h), size(p.w)}, p.out);
  return c;
}

KernelCase recurrence_case(const Recurrence& p) {
  Rnn rnn;
  rnn.mode = p.mode;
  rnn.num_layers = p.layers;
  rnn.is_bidirec = p.both_ways;
  rnn.hidden_size = p.hidden;
  const int directions = rnn.directions();
  const int cells = p.layers * directions;
  const int states = p.mode == RnnMode::kLstm ? 2 : 1;
  KernelCase c{.op = rnn, .in = {random_floats({p.time, p.batch, p.width})}};
  unsigned seed = 2;
  for (int i = 0; i < states; ++i) c.in.push_back(random_floats({cells, p.batch, p.hidden}, -1, 1, seed++));
  for (int i = 0; i < cells; ++i) {
    const int64_t depth = i < directions ? p.width : int64_t{p.hidden} * directions;
    c.in.push_back(random_floats({int64_t{rnn.gates()} * p.hidden, depth}, -0.2, 0.2, seed++));
    c.in.push_back(random_floats({int64_t{rnn.gates()} * p.hidden, p.hidden}, -0.2, 0.2, seed++));
  }
  for (int i = 0; p.has_bias && i < 2 * cells; ++i) {
    c.in.push_back(random_floats({int64_t{rnn.gates()} * p.hidden}, -0.5, 0.5, seed++));
  }
  c.in_counts = {1, states, (p.has_bias ? 4 : 2) * cells};
  c.out_counts = {1, 0, states};
  return c;
}

const std::vector<ModelCase>& model_cases() {
  static const std::vector<ModelCase> cases = made_cases();
  return cases;
}

}  // namespace coracle::internal::test
