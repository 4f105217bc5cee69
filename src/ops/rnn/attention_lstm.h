// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/buffer.h"
#include "graph/op.h"
#include "ops/common/operand_types.h"
#include "ops/rnn/recurrent.h"

namespace coracle::internal {

/// An LSTM over sequences whose input is in each step the sum of all rows of the sequence, weighted by
/// softmax(relu(x w + cell w' + bias)), where scalar and scalar_bias stand for one more relu(scalar * y + scalar_bias).
/// lstm_weight is [D + M, 4 * D], first the rows of the state; its columns are forget, input and output gate,
/// candidate.
struct AttentionLstm {
  static constexpr const char* kName = "attention_lstm";
  static constexpr const char* kLegacy[] = {"attention_lstm"};
  static constexpr Port kInputs[] = {in("x", "X"),
                                     in("c0", "C0"),
                                     optional_in("h0", "H0"),
                                     weight_in("attention_weight", "AttentionWeight"),
                                     optional_in("attention_bias", "AttentionBias"),
                                     optional_in("attention_scalar", "AttentionScalar"),
                                     optional_in("attention_scalar_bias", "AttentionScalarBias"),
                                     weight_in("lstm_weight", "LSTMWeight"),
                                     weight_in("lstm_bias", "LSTMBias")};
  static constexpr Port kOutputs[] = {out("hidden", "Hidden"), optional_out("cell", "Cell")};
  static constexpr LodRule kLod = LodRule::kFirst;
  GateActivation gate_activation = GateActivation::kSigmoid;
  GateActivation cell_activation = GateActivation::kTanh;
  GateActivation candidate_activation = GateActivation::kTanh;
  void attributes(AttributeVisitor& visit) {
    visit("gate_activation", gate_activation);
    visit("cell_activation", cell_activation);
    visit("candidate_activation", candidate_activation);
  }
  friend bool operator==(const AttentionLstm&, const AttentionLstm&) = default;
};

inline void infer(const AttentionLstm&, InferArgs& a) {
  const Shape& x = a.shape(0);
  const Shape& w = a.shape(7);
  require(is_float(a.dtype(0)), "x is ", a.dtype(0), ", expected a real type");
  require_one_dtype(a, {1, 2, 3, 4, 5, 6, 7, 8});
  require(!x.rank_known() || x.rank() == 2, "x is ", x, ", expected [rows, M]");
  int64_t width = Shape::kUnknown;
  if (w.known()) {
    require(w.rank() == 2 && w[1] % 4 == 0, "LSTMWeight is ", w, ", expected [D + M, 4 * D]");
    width = w[1] / 4;
    require(!x.rank_known() || x[1] < 0 || x[1] + width == w[0], "x is ", x, " for LSTMWeight ", w);
    for (const auto& [port, count] : {std::pair(3, w[0]), std::pair(4, int64_t{1}), std::pair(5, int64_t{1}),
                                      std::pair(6, int64_t{1}), std::pair(8, w[1])}) {
      if (!a.has(port) || !a.shape(port).known()) continue;
      require(a.shape(port).count() == count, "operand ", port, " is ", a.shape(port), ", expected ", count,
              " elements");
    }
  }
  const Shape y{x.rank_known() ? x[0] : Shape::kUnknown, width};
  a.set(0, a.dtype(0), y);
  a.set(1, a.dtype(0), y);
  if (a.out_count(1) > 0) a.out(1).lod = a.in(0).lod;
}

inline void reference(const AttentionLstm& op, ReferenceArgs& a) {
  const std::vector<int64_t> offsets = sequence_offsets(a.in(0).lod(), a.shape(0)[0]);
  const auto sequences = static_cast<int64_t>(offsets.size()) - 1;
  const int64_t m = a.shape(0)[1];
  const int64_t n = a.shape(7)[1] / 4;
  for (int port : {1, 2}) {
    require(!a.has(port) || a.in(port).count() == sequences * n, ErrorCode::kRunFailure, port == 1 ? "C0" : "H0",
            " does not have one row for each sequence");
  }
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    const auto numbers = [&](int port) { return a.in(port).template data<T>(); };
    const auto one = [&](int port, double missing) {
      return a.has(port) ? static_cast<double>(numbers(port)[0]) : missing;
    };
    const auto attended = [&](int64_t row, double from_cell) {
      double sum = one(4, 0);
      for (int64_t k = 0; k < m; ++k) {
        sum += static_cast<double>(numbers(0)[row * m + k]) * static_cast<double>(numbers(3)[k]);
      }
      const double y = std::max(sum + from_cell, 0.0);
      return a.has(5) ? std::max(y * one(5, 1) + one(6, 0), 0.0) : y;
    };
    for (int64_t s = 0; s < sequences; ++s) {
      Buffer<double> h(static_cast<size_t>(n), 0.0, a.context());
      Buffer<double> c(static_cast<size_t>(n), 0.0, a.context());
      if (a.has(1)) std::copy_n(numbers(1) + s * n, n, c.begin());
      if (a.has(2)) std::copy_n(numbers(2) + s * n, n, h.begin());
      const int64_t first = offsets[static_cast<size_t>(s)];
      const int64_t last = offsets[static_cast<size_t>(s) + 1];
      for (int64_t row = first; row < last; ++row) {
        double from_cell = 0;
        for (int64_t k = 0; k < n; ++k) from_cell += c[static_cast<size_t>(k)] * static_cast<double>(numbers(3)[m + k]);
        Buffer<double> shares(a.context());
        for (int64_t r = first; r < last; ++r) shares.push_back(attended(r, from_cell));
        const double largest = *std::max_element(shares.begin(), shares.end());
        double sum = 0;
        for (double& share : shares) sum += share = std::exp(share - largest);
        Buffer<double> x(static_cast<size_t>(m), 0.0, a.context());
        add_vector_matrix(shares.data(), numbers(0) + first * m, last - first, m, m, x.data());
        for (double& v : x) v /= sum;
        Buffer<double> gates(static_cast<size_t>(4 * n), a.context());
        for (int64_t j = 0; j < 4 * n; ++j) gates[static_cast<size_t>(j)] = static_cast<double>(numbers(8)[j]);
        add_vector_matrix(h.data(), numbers(7), n, 4 * n, 4 * n, gates.data());
        add_vector_matrix(x.data(), numbers(7) + n * 4 * n, m, 4 * n, 4 * n, gates.data());
        for (int64_t j = 0; j < n; ++j) {
          const auto gate = [&](int64_t g) {
            return activated(op.gate_activation, gates[static_cast<size_t>(g * n + j)]);
          };
          double& cell = c[static_cast<size_t>(j)];
          cell = gate(0) * cell + gate(1) * activated(op.candidate_activation, gates[static_cast<size_t>(3 * n + j)]);
          h[static_cast<size_t>(j)] = gate(2) * activated(op.cell_activation, cell);
          a.out(0).data<T>()[row * n + j] = static_cast<T>(h[static_cast<size_t>(j)]);
          if (a.wants(1)) a.out(1).data<T>()[row * n + j] = static_cast<T>(cell);
        }
      }
    }
  });
}

inline constexpr const OpSchema* attention_lstm_op = &kOpSchema<AttentionLstm>;

}  // namespace coracle::internal
