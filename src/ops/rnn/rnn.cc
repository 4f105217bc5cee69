// SPDX-License-Identifier: Apache-2.0
#include "ops/rnn/rnn.h"

#include <algorithm>
#include <vector>

#include "base/buffer.h"
#include "base/counted.h"
#include "base/long_loop.h"
#include "ops/rnn/recurrent.h"

namespace coracle::internal {
namespace {

/// One layer in one direction.
template <class T>
struct Cell {
  RnnMode mode;
  int64_t inputs;
  int64_t hidden;
  int64_t gates;
  const T* input_weight;
  const T* state_weight;
  const T* input_bias;  ///< null if there are no biases
  const T* state_bias;
  Buffer<double> x;
  Buffer<double> from_input;
  Buffer<double> from_state;

  /// One step for one sequence: h and c are brought forward.
  void step(const T* input, double* h, double* c) {
    for (int64_t k = 0; k < inputs; ++k) x[static_cast<size_t>(k)] = static_cast<double>(input[k]);
    const int64_t rows = gates * hidden;
    for (int64_t j = 0; j < rows; ++j) {
      from_input[static_cast<size_t>(j)] = input_bias == nullptr ? 0.0 : static_cast<double>(input_bias[j]);
      from_state[static_cast<size_t>(j)] = state_bias == nullptr ? 0.0 : static_cast<double>(state_bias[j]);
    }
    add_matrix_vector(input_weight, x.data(), rows, inputs, from_input.data());
    add_matrix_vector(state_weight, h, rows, hidden, from_state.data());
    const double* a = from_input.data();
    const double* b = from_state.data();
    for (int64_t j = 0; j < hidden; ++j) {
      const auto gate = [&](int64_t g) { return a[g * hidden + j] + b[g * hidden + j]; };
      if (mode == RnnMode::kLstm) {
        c[j] = gate_sigmoid(gate(1)) * c[j] + gate_sigmoid(gate(0)) * std::tanh(gate(2));
        h[j] = gate_sigmoid(gate(3)) * std::tanh(c[j]);
      } else if (mode == RnnMode::kGru) {
        const double r = gate_sigmoid(gate(0));
        const double z = gate_sigmoid(gate(1));
        const double candidate = std::tanh(a[2 * hidden + j] + r * b[2 * hidden + j]);
        h[j] = z * h[j] + (1 - z) * candidate;
      } else {
        h[j] = mode == RnnMode::kRnnTanh ? std::tanh(gate(0)) : std::max(gate(0), 0.0);
      }
    }
  }
};

template <class T>
void run_layers(const Rnn& op, ReferenceArgs& a) {
  const int64_t time = a.shape(0)[0];
  const int64_t batch = a.shape(0)[1];
  const int64_t hidden = op.hidden_size;
  const int64_t rows = op.gates() * hidden;
  const int directions = op.directions();
  const int cells = op.num_layers * directions;
  const bool has_bias = a.count(2) == 4 * cells;
  std::vector<int64_t> lengths(static_cast<size_t>(batch), time);
  if (a.has(3)) {
    LoopCheck check(a.context());
    for (size_t b = 0; b < lengths.size(); ++b) {
      check.step();
      lengths[b] = std::clamp<int64_t>(a.in(3).integer(static_cast<int64_t>(b)), 0, time);
    }
  }
  Tensor input = a.in(0);
  for (int layer = 0; layer < op.num_layers; ++layer) {
    const int64_t width = input.shape()[2];
    Tensor output = layer + 1 == op.num_layers ? a.out(0) : a.make(input.dtype(), a.out(0).shape());
    std::fill_n(output.data<T>(), output.count(), T(0));
    for (int direction = 0; direction < directions; ++direction) {
      const int at = layer * directions + direction;
      const auto weight = [&](int i) { return a.in(2, i).data<T>(); };
      const auto size = static_cast<size_t>(rows);
      Cell<T> cell{op.mode,
                   width,
                   hidden,
                   op.gates(),
                   weight(2 * at),
                   weight(2 * at + 1),
                   has_bias ? weight(2 * cells + 2 * at) : nullptr,
                   has_bias ? weight(2 * cells + 2 * at + 1) : nullptr,
                   Buffer<double>(static_cast<size_t>(width), a.context()),
                   Buffer<double>(size, a.context()),
                   Buffer<double>(size, a.context())};
      for (int64_t b = 0; b < batch; ++b) {
        const int64_t state = (at * batch + b) * hidden;
        Buffer<double> h(static_cast<size_t>(hidden), a.context());
        Buffer<double> c(static_cast<size_t>(hidden), a.context());
        for (int64_t j = 0; j < hidden; ++j) {
          h[static_cast<size_t>(j)] = static_cast<double>(a.in(1, 0).data<T>()[state + j]);
          if (a.count(1) > 1) c[static_cast<size_t>(j)] = static_cast<double>(a.in(1, 1).data<T>()[state + j]);
        }
        const int64_t length = lengths[static_cast<size_t>(b)];
        for (int64_t s = 0; s < length; ++s) {
          a.context().check();
          const int64_t t = direction == 0 ? s : length - 1 - s;
          cell.step(input.data<T>() + (t * batch + b) * width, h.data(), c.data());
          T* to = output.data<T>() + ((t * batch + b) * directions + direction) * hidden;
          for (int64_t j = 0; j < hidden; ++j) to[j] = static_cast<T>(h[static_cast<size_t>(j)]);
        }
        for (int64_t j = 0; j < hidden; ++j) {
          if (a.out_count(2) > 0) a.out(2, 0).data<T>()[state + j] = static_cast<T>(h[static_cast<size_t>(j)]);
          if (a.out_count(2) > 1) a.out(2, 1).data<T>()[state + j] = static_cast<T>(c[static_cast<size_t>(j)]);
        }
      }
    }
    input = output;
  }
}

/// A dimension that must be `expected` where both are known.
void check_size(int64_t found, int64_t expected, std::string_view what) {
  require(found < 0 || expected < 0 || found == expected, what, " is ", found, ", expected ", expected);
}

}  // namespace

void infer(const Rnn& op, InferArgs& a) {
  constexpr int kLimit = 1 << 20;
  require(is_float(a.dtype(0)), "x is ", a.dtype(0), ", expected a real type");
  require(op.num_layers > 0 && op.num_layers < 1024, "num_layers is ", op.num_layers, ", expected a positive number");
  require(op.hidden_size > 0 && op.hidden_size < kLimit, "hidden_size is ", op.hidden_size,
          ", expected a positive number");
  const Shape& x = a.shape(0);
  require(!x.rank_known() || x.rank() == 3, "x ", x, " has ", counted(x.rank(), "dimension"), ", expected 3");
  const int cells = op.num_layers * op.directions();
  const int states = op.mode == RnnMode::kLstm ? 2 : 1;
  require(a.count(1) == states, "pre_state has ", counted(a.count(1), "tensor"), ", expected ", states);
  require(a.out_count(2) <= states, "state has ", counted(a.out_count(2), "tensor"), ", expected ", states);
  require(a.count(2) == 2 * cells || a.count(2) == 4 * cells, "weight_list has ", counted(a.count(2), "tensor"),
          ", expected ", 4 * cells);
  const int64_t time = x.rank_known() ? x[0] : Shape::kUnknown;
  const int64_t batch = x.rank_known() ? x[1] : Shape::kUnknown;
  const int64_t rows = int64_t{op.gates()} * op.hidden_size;
  for (int i = 0; i < a.count(2); ++i) {
    const Shape& w = a.shape(2, i);
    require(a.dtype(2, i) == a.dtype(0), "weight ", i, " is ", a.dtype(2, i), ", but x is ", a.dtype(0));
    if (!w.known()) continue;
    if (i >= 2 * cells) {
      check_size(w.count(), rows, "the size of a bias in weight_list");
      continue;
    }
    require(w.rank() == 2, "weight ", i, " ", w, " has ", counted(w.rank(), "dimension"), ", expected 2");
    int64_t columns = op.hidden_size;
    if (i % 2 == 0) {
      columns = i / 2 / op.directions() > 0 ? int64_t{op.hidden_size} * op.directions()
                                            : (x.rank_known() ? x[2] : Shape::kUnknown);
    }
    check_size(w[0], rows, "the number of rows of a matrix in weight_list");
    check_size(w[1], columns, "the number of columns of a matrix in weight_list");
  }
  for (int i = 0; i < states; ++i) {
    const Shape& s = a.shape(1, i);
    require(a.dtype(1, i) == a.dtype(0), "pre_state is ", a.dtype(1, i), ", but x is ", a.dtype(0));
    if (!s.rank_known()) continue;
    require(s.rank() == 3, "pre_state ", s, " has ", counted(s.rank(), "dimension"), ", expected 3");
    check_size(s[0], cells, "dimension 0 of pre_state");
    check_size(s[1], batch, "dimension 1 of pre_state");
    check_size(s[2], op.hidden_size, "dimension 2 of pre_state");
  }
  if (a.has(3) && a.shape(3).known()) check_size(a.shape(3).count(), batch, "the size of sequence_length");
  a.set(0, a.dtype(0), Shape{time, batch, int64_t{op.hidden_size} * op.directions()});
  a.set(1, DType::kUint8, Shape{0});
  for (int i = 0; i < states; ++i) a.set(2, a.dtype(0), Shape{cells, batch, op.hidden_size}, i);
  a.set(3, a.dtype(0), Shape{0});
}

void reference(const Rnn& op, ReferenceArgs& a) {
  visit_float(a.in(0).dtype(), [&](auto* p) { run_layers<std::remove_pointer_t<decltype(p)>>(op, a); });
}

}  // namespace coracle::internal
