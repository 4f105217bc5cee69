// SPDX-License-Identifier: Apache-2.0
#include "plan/cost.h"

#include <algorithm>

#include "ops/attention.h"
#include "ops/bmm.h"
#include "ops/conv2d.h"
#include "ops/conv2d_fused.h"
#include "ops/conv2d_transpose.h"
#include "ops/conv2d_transpose_fused.h"
#include "ops/conv3d.h"
#include "ops/conv3d_transpose.h"
#include "ops/depthwise_conv2d.h"
#include "ops/linear.h"
#include "ops/matmul.h"
#include "ops/mv.h"
#include "ops/rnn.h"

namespace coracle {
namespace {

using Facts = std::span<const Fact* const>;

int64_t size(const Fact& fact, int axis) {
  const int rank = fact.shape.rank();
  const int at = axis < 0 ? axis + rank : axis;
  return at >= 0 && at < rank ? fact.shape[at] : 1;
}

/// Each result is a sum over the filter [out, in / groups, kernel...] of its channel.
int64_t convolution(const Op& /*op*/, Facts in, const Fact& out) {
  const Shape& filter = in[1]->shape;
  return out.shape.count() * (filter.count() / std::max<int64_t>(size(*in[1], 0), 1));
}

/// Each element of the input goes to as many results as the filter [in, out / groups, kernel...] has for its channel.
int64_t transposed_convolution(const Op& /*op*/, Facts in, const Fact& /*out*/) {
  const Shape& filter = in[1]->shape;
  return in[0]->shape.count() * (filter.count() / std::max<int64_t>(size(*in[1], 0), 1));
}

/// One axis of the weights is that of the results, the other that of the sum.
int64_t product_with_weights(const Op& /*op*/, Facts in, const Fact& out) {
  return out.shape.count() * (in[1]->shape.count() / std::max<int64_t>(size(out, -1), 1));
}

int64_t matrix_product(const Op& op, Facts in, const Fact& out) {
  const Matmul* matmul = op.as<Matmul>();
  return out.shape.count() * size(*in[0], matmul != nullptr && matmul->transpose_x ? -2 : -1);
}

/// Queries [..., s, d] meet all keys [..., t, d], and their weights all values [..., t, e].
int64_t attention(const Op& /*op*/, Facts in, const Fact& out) {
  return (in[0]->shape.count() + out.shape.count()) * size(*in[1], -2);
}

/// Every step of every sequence meets all matrices.
int64_t recurrent_layers(const Op& /*op*/, Facts in, const Fact& /*out*/) {
  int64_t weights = 0;
  for (const Fact* f : in.subspan(1)) {
    if (f->shape.rank() == 2) weights += f->shape.count();
  }
  return size(*in[0], 0) * size(*in[0], 1) * weights;
}

struct Rule {
  const OpRow* op;
  int64_t (*multiply_adds)(const Op& op, Facts in, const Fact& out);
};

/// Operators that are sums of products, as they stand in a rewritten graph.
constexpr Rule kRules[] = {
    {&kOpRow<Attention>, attention},
    {&kOpRow<Bmm>, matrix_product},
    {&kOpRow<Conv2d>, convolution},
    {&kOpRow<Conv2dFused>, convolution},
    {&kOpRow<Conv2dTranspose>, transposed_convolution},
    {&kOpRow<Conv2dTransposeFused>, transposed_convolution},
    {&kOpRow<Conv3d>, convolution},
    {&kOpRow<Conv3dTranspose>, transposed_convolution},
    {&kOpRow<DepthwiseConv2d>, convolution},
    {&kOpRow<Linear>, product_with_weights},
    {&kOpRow<Matmul>, matrix_product},
    {&kOpRow<Mv>, matrix_product},
    {&kOpRow<Rnn>, recurrent_layers},
};

int64_t bytes_of(Facts facts) {
  int64_t sum = 0;
  for (const Fact* f : facts) {
    if (f->known() && !f->is_array) sum += static_cast<int64_t>(f->bytes());
  }
  return sum;
}

}  // namespace

Cost cost_of(const Op& op, Facts in, Facts out) {
  Cost cost{.bytes = bytes_of(in) + bytes_of(out)};
  const Rule* rule =
      std::find_if(std::begin(kRules), std::end(kRules), [&](const Rule& r) { return r.op == &op.row(); });
  const auto known = [](const Fact* f) { return f->known() && !f->is_array; };
  if (rule == std::end(kRules) || in.size() < 2 || out.empty()) return cost;
  if (!std::all_of(in.begin(), in.end(), known) || !known(out[0])) return cost;
  cost.flops = 2 * rule->multiply_adds(op, in, *out[0]);
  return cost;
}

}  // namespace coracle
