// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <type_traits>
#include <vector>

#include "devices/cpu/gemm_plan.h"
#include "devices/cpu/isa/sequence_cell.h"
#include "devices/cpu/kernel_isa.h"
#include "devices/cpu/kernels/kernel_table.h"
#include "ops/rnn/gru.h"
#include "ops/rnn/gru_unit.h"
#include "ops/rnn/lstm.h"
#include "ops/sequence/sequences.h"

/// Paddle's first recurrent layers, over sequences laid one after the other. Sequences are taken longest first, so that
/// those that go on at a step are adjacent: their states are the rows of one product.
namespace coracle::internal::cpu::kernels::sequence_rnn {
namespace {

/// A matrix of the state's weights.
struct Matrix {
  int64_t depth = 0;
  int64_t columns = 0;
  int64_t from = 0;  ///< floats before it in the operand
  int64_t at = 0;    ///< and in the packed weights
};

/// What the packed weights depend on besides their elements.
struct WeightForm {
  GemmChoice choice;
  Matrix matrices[2];
  int64_t packed_floats = 0;

  void add(int i, int64_t depth, int64_t columns, int64_t from) {
    matrices[i] = {depth, columns, from, packed_floats};
    packed_floats += (choice.table().packed_floats({1, depth, columns}) + 15) / 16 * 16;
  }
};

void pack_weights(const WeightForm& form, const float* weights, float* packed) {
  const GemmFunctions& gemm = form.choice.table();
  for (const Matrix& m : form.matrices) {
    if (m.columns == 0) continue;
    const GemmSource source{.data = weights + m.from,
                            .tap_offsets = nullptr,
                            .inner = m.depth,
                            .join_stride = 0,
                            .inner_stride = m.columns,
                            .column_stride = 1};
    gemm.pack({1, m.depth, m.columns}, source, packed + m.at, 0, gemm.panels(m.columns));
  }
}

struct PackedMatrices {
  static constexpr std::string_view kLayout = "sequence_rnn.matrices.v1";

  WeightForm form;

  size_t bytes() const { return static_cast<size_t>(form.packed_floats) * sizeof(float); }
  void pack(std::span<const Tensor* const> constants, std::byte* to, ThreadPool&) const {
    pack_weights(form, constants[0]->data<float>(), reinterpret_cast<float*>(to));
  }
};

struct Sequence {
  int64_t first = 0;  ///< row
  int64_t length = 0;
  int64_t number = 0;  ///< among all, for the states they begin with
};

struct State {
  WeightForm form;
  const GemmFunctions* gemm = nullptr;
  const SequenceCellFunctions* cell = nullptr;
  std::vector<Sequence> sequences;  ///< longest first
  int64_t hidden = 0;
  bool reverse = false;
  int64_t parts = 1;  ///< of the sequences, that run at once
  // Positions of operands, -1 where absent.
  int bias = -1;
  int first_state = -1;
  int first_cell = -1;
  // The workspace, in floats: a row for each sequence.
  int64_t states = 0;  ///< [hidden]
  int64_t cells = 0;   ///< [hidden]: the cell, or the reset state of a GRU
  int64_t gates = 0;   ///< [3 or 4 * hidden]
};

/// Where the sequences begin, and the last one ends; gru_unit has one of each row.
template <class Op>
std::vector<int64_t> offsets_of(const ArgFacts& args) {
  if (std::is_same_v<Op, GruUnit>) {
    std::vector<int64_t> rows(static_cast<size_t>(args.shape(0)[0]) + 1);
    std::iota(rows.begin(), rows.end(), 0);
    return rows;
  }
  std::vector<int64_t> offsets = known_offsets(args.in(0));
  if (offsets.empty()) offsets = {0, args.shape(0)[0]};
  return offsets;
}

/// `first` is the port of the first state, of which there are `states`; the weights follow.
template <class Op>
RejectionReason fits_any(const ArgFacts& args, int first, int states) {
  const int weight = first + states;
  if (args.in(weight).value == nullptr) return "the weights are not constant";
  if (args.shape(0).count() == 0) return "no elements";
  const std::vector<int64_t> offsets = offsets_of<Op>(args);
  if (offsets.front() != 0 || offsets.back() != args.shape(0)[0] || !std::is_sorted(offsets.begin(), offsets.end())) {
    return "the sequences do not fit the rows";
  }
  const int64_t hidden = args.shape(weight)[0];
  for (int port = first; port < weight; ++port) {
    if (args.has(port) && args.shape(port).count() != (static_cast<int64_t>(offsets.size()) - 1) * hidden) {
      return "the first states are not one for each sequence";
    }
  }
  return nullptr;
}

RejectionReason fits_lstm(const void* op_attributes, const ArgFacts& args) {
  const auto& op = *static_cast<const Lstm*>(op_attributes);
  if (op.gate_activation != GateActivation::kSigmoid || op.cell_activation != GateActivation::kTanh ||
      op.candidate_activation != GateActivation::kTanh) {
    return "only the usual activations";
  }
  return fits_any<Lstm>(args, 1, 2);
}

template <class Op>
RejectionReason fits_gru(const void* op_attributes, const ArgFacts& args) {
  const auto& op = *static_cast<const Op*>(op_attributes);
  if (op.gate_activation != GateActivation::kSigmoid || op.activation != GateActivation::kTanh) {
    return "only the usual activations";
  }
  return fits_any<Op>(args, 1, 1);
}

template <class Op>
constexpr bool kIsLstm = std::is_same_v<Op, Lstm>;

/// Of sequences between `offsets`.
Prepared prepared_sequences(const std::vector<int64_t>& offsets, bool lstm, bool reverse, const ArgFacts& args,
                            const PrepareContext& context) {
  const int weight = lstm ? 3 : 2;
  State s;
  s.form.choice = GemmChoice(kernel_isa(args.kernel()));
  s.gemm = &gemm_table(kernel_isa(args.kernel()));
  s.cell = &sequence_cell_table(kernel_isa(args.kernel()));
  s.hidden = args.shape(weight)[0];
  s.reverse = reverse;
  for (size_t i = 0; i + 1 < offsets.size(); ++i) {
    s.sequences.push_back({offsets[i], offsets[i + 1] - offsets[i], static_cast<int64_t>(i)});
  }
  std::stable_sort(s.sequences.begin(), s.sequences.end(),
                   [](const Sequence& a, const Sequence& b) { return a.length > b.length; });
  const auto count = static_cast<int64_t>(s.sequences.size());
  s.parts = std::clamp<int64_t>(count, 1, context.pool->threads());
  if (args.has(weight + 1)) s.bias = args.index(weight + 1);
  if (args.has(1)) s.first_state = args.index(1);
  if (lstm) {
    if (args.has(2)) s.first_cell = args.index(2);
    s.form.add(0, s.hidden, 4 * s.hidden, 0);
  } else {
    s.form.add(0, s.hidden, 2 * s.hidden, 0);
    s.form.add(1, s.hidden, s.hidden, 2 * s.hidden * s.hidden);
  }
  Size floats;
  const auto take = [&](Size each) {
    const int64_t at = floats.count();
    floats += (each * count).rounded_up(16);
    return at;
  };
  s.states = take(s.hidden);
  s.cells = take(s.hidden);
  s.gates = take(Size(s.hidden) * (lstm ? 4 : 3));
  const WeightForm form = s.form;
  const size_t extra = s.sequences.size() * sizeof(Sequence);
  Prepared prepared = kernels::prepared(std::move(s), floats * sizeof(float), extra);
  prepared.weights = context.pack(PackedMatrices{form}, args.index(weight));
  return prepared;
}

template <class Op>
Prepared prepare(const void* op, const ArgFacts& args, PrepareContext& context) {
  bool reverse = false;
  if constexpr (!std::is_same_v<Op, GruUnit>) reverse = static_cast<const Op*>(op)->is_reverse;
  return prepared_sequences(offsets_of<Op>(args), kIsLstm<Op>, reverse, args, context);
}

/// Where result `port` has row `row` of `width` floats; null where it is not wanted.
float* result_row(const KernelCall& call, size_t port, int64_t row, int64_t width) {
  size_t at = 0;
  for (size_t p = 0; p < port; ++p) at += static_cast<size_t>(call.out_counts[p]);
  if (port >= call.out_counts.size() || call.out_counts[port] == 0) return nullptr;
  return call.out[at].as<float>() + row * width;
}

void store(float* to, const float* from, int64_t count) {
  if (to != nullptr) std::copy(from, from + count, to);
}

/// One step of sequence `q`, whose row of the workspace is `at`, at row `row` of the input. Of a GRU, the gates come
/// first (`part` 0), then the state (1).
void step(const KernelCall& call, const State& s, const Lstm& op, int64_t at, int64_t row, int) {
  auto* work = static_cast<float*>(call.workspace);
  const int64_t n = s.hidden;
  const float* bias = floats_or_null(call, s.bias);
  SequenceLstm p;
  p.gates = work + s.gates + at * 4 * n;
  p.input = call.in[0].as<const float>() + row * 4 * n;
  p.bias = bias;
  p.peepholes = op.use_peepholes ? bias + 4 * n : nullptr;
  p.cell = work + s.cells + at * n;
  p.state = work + s.states + at * n;
  p.hidden = static_cast<size_t>(n);
  s.cell->lstm(p);
  store(result_row(call, 0, row, n), p.state, n);
  store(result_row(call, 1, row, n), p.cell, n);
  store(result_row(call, 2, row, 4 * n), p.gates, 4 * n);
  store(result_row(call, 3, row, n), p.cell, n);
}

/// Results 2 and 3 are the state, as far as there are such.
template <class Op>
void step(const KernelCall& call, const State& s, const Op& op, int64_t at, int64_t row, int part) {
  auto* work = static_cast<float*>(call.workspace);
  const int64_t n = s.hidden;
  SequenceGru p;
  p.gates = work + s.gates + at * 3 * n;
  p.candidate = p.gates + 2 * n;
  p.input = call.in[0].as<const float>() + row * 3 * n;
  p.bias = floats_or_null(call, s.bias);
  p.reset = work + s.cells + at * n;
  p.state = work + s.states + at * n;
  p.origin = op.origin_mode;
  p.hidden = static_cast<size_t>(n);
  if (part == 0) return s.cell->gru_gates(p);
  s.cell->gru_state(p);
  store(result_row(call, 0, row, 3 * n), p.gates, 3 * n);
  store(result_row(call, 1, row, n), p.reset, n);
  store(result_row(call, 2, row, n), p.state, n);
  store(result_row(call, 3, row, n), p.state, n);
}

/// All steps of the sequences [begin, end).
template <class Op>
void run_sequences(const KernelCall& call, const State& s, int64_t begin, int64_t end) {
  const auto& op = call.attributes<Op>();
  auto* work = static_cast<float*>(call.workspace);
  const int64_t gates = (kIsLstm<Op> ? 4 : 3) * s.hidden;
  const auto first_row = [&](int operand, int64_t to, int64_t i) {
    const float* from = floats_or_null(call, operand);
    float* row = work + to + i * s.hidden;
    if (from == nullptr) {
      std::fill_n(row, s.hidden, 0.0F);
    } else {
      std::copy_n(from + s.sequences[static_cast<size_t>(i)].number * s.hidden, s.hidden, row);
    }
  };
  for (int64_t i = begin; i < end; ++i) {
    first_row(s.first_state, s.states, i);
    first_row(s.first_cell, s.cells, i);
  }
  const auto multiply = [&](const Matrix& m, int64_t operand, float* c, int64_t rows) {
    GemmCall product;
    product.shape = {1, m.depth, m.columns};
    product.a = work + operand + begin * s.hidden;
    product.a_stride = s.hidden;
    product.packed = static_cast<const float*>(call.weights) + m.at;
    product.c = c;
    product.c_stride = gates;
    s.gemm->run(product, 0, rows, 0, s.gemm->panels(m.columns));
  };
  int64_t active = end - begin;
  for (int64_t i = 0; active > 0; ++i) {
    if (call.over()) return;
    while (active > 0 && s.sequences[static_cast<size_t>(begin + active - 1)].length <= i) --active;
    const auto each = [&](int part) {
      for (int64_t k = begin; k < begin + active; ++k) {
        const Sequence& q = s.sequences[static_cast<size_t>(k)];
        step(call, s, op, k, q.first + (s.reverse ? q.length - 1 - i : i), part);
      }
    };
    multiply(s.form.matrices[0], s.states, work + s.gates + begin * gates, active);
    each(0);
    if (kIsLstm<Op>) continue;
    multiply(s.form.matrices[1], s.cells, work + s.gates + begin * gates + 2 * s.hidden, active);
    each(1);
  }
}

template <class Op>
void run(KernelCall& call) noexcept {
  const State& s = state_of<State>(call);
  const auto count = static_cast<int64_t>(s.sequences.size());
  call.pool->parallel_for(s.parts, 1, [&](int64_t first, int64_t last) {
    for (int64_t part = first; part < last; ++part) {
      run_sequences<Op>(call, s, count * part / s.parts, count * (part + 1) / s.parts);
    }
  });
}

template <Isa I>
struct IsaKernels {
  template <class Op>
  static constexpr KernelDef make_kernel(decltype(KernelDef::fits) fits) {
    return {.name = kernel_name<Op, I>(),
            .op = &kOpSchema<Op>,
            .capability = I,
            .fits = fits,
            .prepare = prepare<Op>,
            .run = run<Op>};
  }
  static constexpr std::array<KernelDef, 3> kKernels = {make_kernel<Lstm>(fits_lstm), make_kernel<Gru>(fits_gru<Gru>),
                                                        make_kernel<GruUnit>(fits_gru<GruUnit>)};
};

constexpr auto kKernels = kernels_of_each_isa<IsaKernels>();

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = kernel_table<kKernels>();

}  // namespace coracle::internal::cpu::kernels::sequence_rnn
