// SPDX-License-Identifier: Apache-2.0
#include "engines/openvino/network.h"
#include "ops/attention/attention.h"
#include "ops/matmul/addmm.h"
#include "ops/matmul/baddbmm.h"
#include "ops/matmul/bmm.h"
#include "ops/matmul/linear.h"
#include "ops/matmul/matmul.h"
#include "ops/matmul/matmul_with_flatten.h"

namespace coracle::internal::openvino {
namespace {

Wire product(Emitter& e, Wire x, Wire y, bool transpose_x = false, bool transpose_y = false) {
  return e.plain("MatMul", {x, y},
                 {{"transpose_a", transpose_x ? "true" : "false"}, {"transpose_b", transpose_y ? "true" : "false"}});
}

void emit_matmul(Emitter& e) {
  const auto& op = e.as<Matmul>();
  const Shape& x = e.shape(0);
  const Shape& y = e.shape(1);
  // A vector is a row on the left and a column on the right, and is not transposed.
  const Wire a = x.rank() == 1 ? e.reshape(e.in(0), Shape{1, x[0]}) : e.in(0);
  const Wire b = y.rank() == 1 ? e.reshape(e.in(1), Shape{y[0], 1}) : e.in(1);
  const Wire z = product(e, a, b, op.transpose_x && x.rank() > 1, op.transpose_y && y.rank() > 1);
  if (x.rank() == 1 || y.rank() == 1) return e.set_reshaped(z);
  e.set(z);
}

void emit_matmul_with_flatten(Emitter& e) {
  const auto& op = e.as<MatmulWithFlatten>();
  const auto matrix = [&](int port, int rows) {
    const Shape& s = e.shape(port);
    return e.reshape(e.in(port), Shape{s.count(0, rows), s.count(rows, s.rank())});
  };
  e.set_reshaped(product(e, matrix(0, op.x_num_col_dims), matrix(1, op.y_num_col_dims)));
}

void emit_bmm(Emitter& e) { e.set(product(e, e.in(0), e.in(1))); }

/// beta * input + alpha * x @ y
template <class T>
void emit_scaled_product(Emitter& e) {
  const auto& op = e.as<T>();
  const Wire z = e.multiply(product(e, e.in(1), e.in(2)), e.scalar(op.alpha));
  e.set(e.add(e.multiply(e.in(0), e.scalar(op.beta)), z));
}

void emit_linear(Emitter& e) {
  const auto& op = e.as<Linear>();
  const int rank = e.shape(0).rank();
  const Wire x = rank == 1 ? e.reshape(e.in(0), Shape{1, e.shape(0)[0]}) : e.in(0);
  const bool constant = e.facts().value(1) != nullptr;
  const Wire w = constant ? e.weights(1, op.transpose_w ? 0 : 1, e.shape(1)) : e.in(1);
  Wire y = product(e, x, w, false, op.transpose_w);
  if (rank == 1) y = e.reshape(y, Shape{e.shape(1)[op.transpose_w ? 0 : 1]});
  // Its channels are the last dimension.
  e.set(e.epilogue(y, op, 2, DataFormat::kNhwc, rank));
}

void emit_attention(Emitter& e) {
  const auto& op = e.as<Attention>();
  Wire scores = e.multiply(product(e, e.in(0), e.in(1), false, true), e.scalar(op.scale));
  if (e.has(3)) scores = e.add(scores, e.in(3));
  const int rank = std::max({e.shape(0).rank(), e.shape(1).rank(), e.has(3) ? e.shape(3).rank() : 0});
  const Wire shares = e.layer("SoftMax", "opset1", {scores}, {{"axis", std::to_string(rank - 1)}}, DType::kFloat32);
  e.set(product(e, shares, e.in(2)));
}

constexpr Converter kMatmul[] = {
    {matmul_op, kFloat, kFloat, emit_matmul},
    {matmul_with_flatten_op, kFloat, kFloat, emit_matmul_with_flatten},
    {bmm_op, kFloat, kFloat, emit_bmm},
    {addmm_op, kFloat, kFloat, emit_scaled_product<Addmm>},
    {baddbmm_op, kFloat, kFloat, emit_scaled_product<Baddbmm>},
    {linear_op, kFloat, kFloat, emit_linear},
    {attention_op, kFloat, kFloat, emit_attention},
};

}  // namespace

extern const ConverterTable convert_matmul;
const ConverterTable convert_matmul{kMatmul};

}  // namespace coracle::internal::openvino
