// SPDX-License-Identifier: Apache-2.0
#include "ops/rnn/lstm_sequence.h"

#include <algorithm>

#include "base/buffer.h"
#include "base/counted.h"

namespace coracle::internal {

void infer_lstm_sequence(const LstmSequence& op, InferArgs& a) {
  require(is_float(a.dtype(0)), "input is ", a.dtype(0), ", expected a real type");
  const Shape& x = a.shape(0);
  const Shape& w = a.shape(op.weight);
  require(!x.rank_known() || x.rank() == 2, "input ", x, " has ", counted(x.rank(), "dimension"), ", expected 2");
  int64_t width = Shape::kUnknown;
  int64_t state = Shape::kUnknown;
  if (w.known()) {
    require(w.rank() == 2 && w[1] % 4 == 0, "weight is ", w, ", expected [D, 4 * D]");
    width = w[1] / 4;
    state = w[0];
    require(op.projection >= 0 || state == width, "weight is ", w, ", expected [D, 4 * D]");
    require(!x.rank_known() || x[1] < 0 || x[1] == w[1], "input ", x, " does not fit weight ", w);
    const Shape& b = a.shape(op.bias);
    const int64_t numbers = op.use_peepholes ? 7 * width : 4 * width;
    require(!b.known() || b.count() == numbers, "bias has ", b.known() ? b.count() : 0, " elements, expected ",
            numbers);
    if (op.projection >= 0 && a.shape(op.projection).known()) {
      const Shape expected{width, state};
      require(a.shape(op.projection) == expected, "proj_weight is ", a.shape(op.projection), ", expected ", expected);
    }
  }
  for (int port : {op.weight, op.bias, op.projection, 1, 2}) {
    require(port < 0 || !a.has(port) || a.dtype(port) == a.dtype(0), "an operand is not of input's type ", a.dtype(0));
  }
  const int64_t rows = x.rank_known() ? x[0] : Shape::kUnknown;
  a.set(0, a.dtype(0), Shape{rows, state});
  a.set(1, a.dtype(0), Shape{rows, width});
  a.set(2, a.dtype(0), x);
  for (int port = 3; port <= 4; ++port) a.set(port, a.dtype(0), Shape{rows, width});
  for (int port = 0; port <= 4; ++port) {
    if (a.out_count(port) > 0) a.out(port).lod = a.in(0).lod;
  }
}

namespace {

double clipped(double x, double limit) { return limit > 0 ? std::clamp(x, -limit, limit) : x; }

template <class T>
void run_lstm_sequences(const LstmSequence& op, ReferenceArgs& a, const std::vector<int64_t>& offsets) {
  const int64_t width = a.shape(op.weight)[1] / 4;
  const int64_t state = a.shape(op.weight)[0];
  const T* bias = a.in(op.bias).data<T>();
  const auto n = static_cast<size_t>(width);
  Buffer<double> gates(4 * n, a.context());
  Buffer<double> hidden(n, a.context());
  for (size_t s = 0; s + 1 < offsets.size(); ++s) {
    Buffer<double> h(static_cast<size_t>(state), 0.0, a.context());
    Buffer<double> c(n, 0.0, a.context());
    if (a.has(1)) std::copy_n(a.in(1).data<T>() + static_cast<int64_t>(s) * state, state, h.begin());
    if (a.has(2)) std::copy_n(a.in(2).data<T>() + static_cast<int64_t>(s) * width, width, c.begin());
    for (int64_t i = 0; i < offsets[s + 1] - offsets[s]; ++i) {
      a.context().check();
      const int64_t row = op.is_reverse ? offsets[s + 1] - 1 - i : offsets[s] + i;
      const T* x = a.in(0).data<T>() + row * 4 * width;
      for (size_t j = 0; j < 4 * n; ++j) gates[j] = static_cast<double>(x[j]) + static_cast<double>(bias[j]);
      add_vector_matrix(h.data(), a.in(op.weight).data<T>(), state, 4 * width, 4 * width, gates.data());
      for (size_t j = 0; j < n; ++j) {
        const auto peephole = [&](size_t g) { return op.use_peepholes ? static_cast<double>(bias[g * n + j]) : 0.0; };
        const double candidate = activated(op.candidate, gates[j]);
        const double in = activated(op.gate, gates[n + j] + c[j] * peephole(4));
        const double forget = activated(op.gate, gates[2 * n + j] + c[j] * peephole(5));
        c[j] = clipped(candidate * in + c[j] * forget, op.cell_clip);
        const double out = activated(op.gate, gates[3 * n + j] + c[j] * peephole(6));
        hidden[j] = out * activated(op.cell, c[j]);
        gates[j] = candidate;
        gates[n + j] = in;
        gates[2 * n + j] = forget;
        gates[3 * n + j] = out;
      }
      if (op.projection >= 0) {
        std::fill(h.begin(), h.end(), 0.0);
        add_vector_matrix(hidden.data(), a.in(op.projection).data<T>(), width, state, state, h.data());
        for (double& v : h) v = clipped(activated(op.projected, v), op.projection_clip);
      } else {
        h = hidden;
      }
      const auto store = [&](int port, const Buffer<double>& from) {
        if (!a.wants(port)) return;
        T* to = a.out(port).data<T>() + row * static_cast<int64_t>(from.size());
        for (size_t j = 0; j < from.size(); ++j) to[j] = static_cast<T>(from[j]);
      };
      store(0, h);
      store(1, c);
      store(2, gates);
      store(3, c);
      store(4, hidden);
    }
  }
}

}  // namespace

void reference_lstm_sequence(const LstmSequence& op, ReferenceArgs& a) {
  const std::vector<int64_t> offsets = sequence_offsets(a.in(0).lod(), a.shape(0)[0]);
  const auto sequences = static_cast<int64_t>(offsets.size()) - 1;
  const int64_t width = a.shape(op.weight)[1] / 4;
  require(!a.has(1) || a.in(1).count() == sequences * a.shape(op.weight)[0], ErrorCode::kRunFailure,
          "h0 does not have one row for each sequence");
  require(!a.has(2) || a.in(2).count() == sequences * width, ErrorCode::kRunFailure,
          "c0 does not have one row for each sequence");
  visit_float(a.in(0).dtype(),
              [&](auto* p) { run_lstm_sequences<std::remove_pointer_t<decltype(p)>>(op, a, offsets); });
}

}  // namespace coracle::internal
