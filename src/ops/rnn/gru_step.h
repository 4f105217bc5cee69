// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/buffer.h"
#include "graph/op.h"
#include "ops/rnn/recurrent.h"

namespace coracle::internal {

/// Checks operand 0 [rows, 3 * D] of a GRU against its weight [D, 3 * D] and bias (3 * D numbers, may be absent).
inline void check_gru_operands(const InferArgs& a, int weight, int bias) {
  require(is_float(a.dtype(0)), "input is ", a.dtype(0), ", expected a real type");
  require(a.dtype(weight) == a.dtype(0), "weight is ", a.dtype(weight), ", but input is ", a.dtype(0));
  require(!a.has(bias) || a.dtype(bias) == a.dtype(0), "bias is not of input's type");
  const Shape& x = a.shape(0);
  const Shape& w = a.shape(weight);
  require(!x.rank_known() || x.rank() == 2, "input ", x, " has ", x.rank(), " dimensions, expected 2");
  if (!w.known()) return;
  require(w.rank() == 2 && w[1] == 3 * w[0], "weight is ", w, ", expected [D, 3 * D]");
  require(!x.rank_known() || x[1] < 0 || x[1] == w[1], "input ", x, " does not fit weight ", w);
  require(!a.has(bias) || !a.shape(bias).known() || a.shape(bias).count() == w[1], "bias is ",
          a.has(bias) ? a.shape(bias) : w, ", expected ", w[1], " elements");
}

/// One step of the first GRU for one sequence.
template <class T>
struct GruStep {
  int64_t width;
  const T* weight;
  const T* bias;  ///< may be null
  GateActivation activation;
  GateActivation gate_activation;
  bool origin_mode;
  Buffer<double> gates;  ///< after run(): update, reset, candidate
  Buffer<double> reset;  ///< after run(): reset * state before

  GruStep(const RunContext& context, int64_t d, const T* w, const T* b, GateActivation act, GateActivation gate,
          bool origin)
      : width(d),
        weight(w),
        bias(b),
        activation(act),
        gate_activation(gate),
        origin_mode(origin),
        gates(static_cast<size_t>(3 * d), context),
        reset(static_cast<size_t>(d), context) {}

  /// `input` has 3 * width numbers; h is brought forward.
  void run(const T* input, Buffer<double>& h) {
    const auto n = static_cast<size_t>(width);
    for (size_t j = 0; j < 3 * n; ++j) {
      gates[j] = static_cast<double>(input[j]) + (bias == nullptr ? 0.0 : static_cast<double>(bias[j]));
    }
    add_vector_matrix(h.data(), weight, width, 2 * width, 2 * width, gates.data());
    for (size_t j = 0; j < 2 * n; ++j) gates[j] = activated(gate_activation, gates[j]);
    for (size_t j = 0; j < n; ++j) reset[j] = gates[n + j] * h[j];
    add_vector_matrix(reset.data(), weight + 2 * width * width, width, width, width, gates.data() + 2 * n);
    for (size_t j = 0; j < n; ++j) {
      double& candidate = gates[2 * n + j];
      candidate = activated(activation, candidate);
      const double u = gates[j];
      h[j] = origin_mode ? u * h[j] + (1 - u) * candidate : (1 - u) * h[j] + u * candidate;
    }
  }
};

}  // namespace coracle::internal
