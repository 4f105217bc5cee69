// SPDX-License-Identifier: Apache-2.0
#include "ops/rnn/rnn.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "devices/cpu/gemm_plan.h"
#include "devices/cpu/isa/rnn_cell.h"
#include "devices/cpu/kernel_isa.h"
#include "devices/cpu/kernels/kernel_table.h"
#include "devices/cpu/tile_cost.h"

/// Recurrent layers. The products with the input are one matrix product over all steps; the steps themselves are
/// independent for each direction and each sequence of the batch, which is how they are shared among threads.
namespace coracle::internal::cpu::kernels::rnn {
namespace {

/// Where a cell's packed matrices begin, in floats.
struct CellMatrices {
  int64_t input = 0;
  int64_t state = 0;
};

struct State {
  const GemmFunctions* input_gemm = nullptr;  ///< for the products with the input
  const GemmFunctions* state_gemm = nullptr;
  void (*step)(const RnnCell& cell) = nullptr;
  bool has_cell_state = false;
  int layers = 1;
  int directions = 1;
  bool has_bias = false;
  int64_t time = 0;
  int64_t batch = 0;
  int64_t hidden = 0;
  int64_t gates = 0;  ///< pre-activations of one step of one sequence
  int64_t panels = 0;
  std::vector<GemmPlan> products;  ///< with the input, by layer
  std::vector<CellMatrices> matrices;
  int pre_state = 0;  ///< positions of operands
  int weights = 0;
  int lengths = -1;  ///< of the sequences, where they differ
  bool long_lengths = false;
  int state_out = -1;  ///< positions of results
  int cell_out = -1;
  // The workspace, in floats.
  int64_t input_gates = 0;   ///< [direction][time][batch][gates]
  int64_t hidden_gates = 0;  ///< [direction][batch][gates]
  int64_t cells = 0;         ///< [direction][batch][hidden]
  int64_t between[2] = {};   ///< results of all layers but the last, by turns
};

/// Result 1, the state of dropout, is empty.
constexpr TypeRule kRnnTypes = {.in = {{{3, kIndexTypes}}}, .out = {{{1, DType::kUint8}}}};

RejectionReason fits(const void* op, const ArgFacts& args) {
  const auto& o = *static_cast<const Rnn*>(op);
  if (args.out().shape.count() == 0 || args.shape(0).count() == 0) return "no elements";
  const int cells = o.num_layers * o.directions();
  for (int i = 0; i < 2 * cells; ++i) {
    if (args.in(2, i).value == nullptr) return "the weights are not constant";
  }
  return nullptr;
}

/// The packed matrices of all cells: for each layer and direction those for the input and for the state.
struct Form {
  static constexpr std::string_view kLayout = "rnn.cells.v1";

  GemmChoice choice;  ///< for the input; for the state multiply-adds
  int64_t cells = 0;
  int64_t directions = 1;
  int64_t input = 0;  ///< of the first layer
  int64_t hidden = 0;
  int64_t gates = 0;

  GemmForm matrix(const GemmChoice& by, int64_t depth) const {
    GemmForm form{by};
    form.depth = depth;
    form.columns = gates;
    form.inner = depth;
    form.inner_stride = 1;
    form.column_stride = depth;
    return form;
  }
  GemmForm input_matrix(int64_t cell) const { return matrix(choice, cell < directions ? input : hidden * directions); }
  GemmForm state_matrix() const { return matrix(choice.without_tiles(), hidden); }
  /// Calls f(cell, input, state) with where the matrices of each cell lie, in floats; returns how many there are in
  /// all.
  template <class F>
  int64_t for_each_cell(const F& f) const {
    int64_t end = 0;
    for (int64_t cell = 0; cell < cells; ++cell) {
      const int64_t state = end + floats(input_matrix(cell));
      f(cell, end, state);
      end = state + floats(state_matrix());
    }
    return end;
  }

  size_t bytes() const {
    return static_cast<size_t>(for_each_cell([](int64_t, int64_t, int64_t) {})) * sizeof(float);
  }
  void pack(std::span<const Tensor* const> constants, std::byte* to, ThreadPool& pool) const {
    auto* packed = reinterpret_cast<float*>(to);
    for_each_cell([&](int64_t cell, int64_t input, int64_t state) {
      const auto pair = constants.subspan(static_cast<size_t>(2 * cell), 2);
      input_matrix(cell).pack_matrices(pair[0]->data<float>(), packed + input, pool);
      state_matrix().pack_matrices(pair[1]->data<float>(), packed + state, pool);
    });
  }

 private:
  static int64_t floats(const GemmForm& form) {
    return (static_cast<int64_t>(form.bytes() / sizeof(float)) + 15) / 16 * 16;
  }
};

auto step_of(RnnMode mode, const RnnCellFunctions& f) {
  switch (mode) {
    case RnnMode::kLstm: return f.lstm;
    case RnnMode::kGru: return f.gru;
    case RnnMode::kRnnRelu: return f.simple_relu;
    default: return f.simple_tanh;
  }
}

RejectionReason fits_products(const void* op, const ArgFacts& args) {
  if (const RejectionReason rejection = fits(op, args)) return rejection;
  const auto& o = *static_cast<const Rnn*>(op);
  return mode_rejection(kernel_mode(args.kernel()), args.shape(0)[0], {1, args.shape(0)[2], o.gates() * o.hidden_size});
}

/// What multiplies the inputs of all steps; the states stay on vectors.
std::optional<CostEstimate> cost(const void* op, const ArgFacts& args) {
  const auto& o = *static_cast<const Rnn*>(op);
  return tile_cost(kernel_mode(args.kernel()),
                   {.rows = args.shape(0)[0], .shape = {1, args.shape(0)[2], o.gates() * o.hidden_size}});
}

Prepared prepare(const void* op, const ArgFacts& args, PrepareContext& context) {
  const auto& o = *static_cast<const Rnn*>(op);
  State s;
  s.input_gemm = &gemm_table(args.kernel());
  s.state_gemm = &gemm_table(kernel_isa(args.kernel()), ComputeMode::kFloat32);
  s.step = step_of(o.mode, rnn_cell_table(kernel_isa(args.kernel())));
  s.has_cell_state = o.mode == RnnMode::kLstm;
  s.layers = o.num_layers;
  s.directions = o.directions();
  const int cells = s.layers * s.directions;
  s.has_bias = args.count(2) == 4 * cells;
  s.time = args.shape(0)[0];
  s.batch = args.shape(0)[1];
  s.hidden = o.hidden_size;
  s.gates = o.gates() * s.hidden;
  s.panels = s.state_gemm->panels(s.gates);
  s.pre_state = args.index(1);
  s.weights = args.index(2);
  if (args.has(3)) {
    s.lengths = args.index(3);
    s.long_lengths = args.in(3).dtype == DType::kInt64;
  }
  const int first_state = 1 + args.out_count(1);
  if (args.out_count(2) > 0) s.state_out = first_state;
  if (args.out_count(2) > 1) s.cell_out = first_state + 1;
  for (int layer = 0; layer < s.layers; ++layer) {
    GemmPlan plan;
    const int64_t depth = layer == 0 ? args.shape(0)[2] : s.hidden * s.directions;
    plan.call.shape = {1, depth, s.gates};
    plan.call.a_stride = depth;
    plan.call.c_stride = s.gates;
    plan.rows = s.time * s.batch;
    plan.panels = s.input_gemm->panels(s.gates);
    s.products.push_back(std::move(plan));
  }
  Size floats;
  const auto take = [&](Size count) {
    const int64_t at = floats.count();
    floats += count.rounded_up(16);
    return at;
  };
  const Size rows = Size(s.directions) * s.batch;
  s.input_gates = take(rows * s.time * s.gates);
  s.hidden_gates = take(rows * s.gates);
  s.cells = take(rows * s.hidden);
  for (int i = 0; i < 2 && i + 1 < s.layers; ++i) s.between[i] = take(rows * s.time * s.hidden);
  const Form form{.choice = GemmChoice(args.kernel()),
                  .cells = cells,
                  .directions = s.directions,
                  .input = args.shape(0)[2],
                  .hidden = s.hidden,
                  .gates = s.gates};
  form.for_each_cell([&](int64_t, int64_t input, int64_t state) { s.matrices.push_back({input, state}); });
  std::vector<int> operands;
  for (int i = 0; i < 2 * cells; ++i) operands.push_back(args.index(2, i));
  const auto extra = s.products.size() * sizeof(GemmPlan) + s.matrices.size() * sizeof(CellMatrices);
  Prepared p = prepared(std::move(s), floats * sizeof(float), extra);
  p.weights = context.pack(form, operands);
  return p;
}

EpilogueOp bias_op(const float* bias) { return {.step = {EpilogueKind::kAddChannel}, .tensor = bias}; }

/// Bias of a layer in a direction: which 0 for the input's, 1 for the state's.
const float* bias_of(const KernelCall& call, const State& s, int cell, int which) {
  if (!s.has_bias) return nullptr;
  const int index = s.weights + 2 * s.layers * s.directions + 2 * cell + which;
  return call.in[static_cast<size_t>(index)].as<const float>();
}

/// Steps that a sequence of the batch has.
int64_t length_of(const KernelCall& call, const State& s, int64_t sequence) {
  if (s.lengths < 0) return s.time;
  const TensorView& lengths = call.in[static_cast<size_t>(s.lengths)];
  const int64_t length = s.long_lengths ? lengths.as<const int64_t>()[sequence] : lengths.as<const int32_t>()[sequence];
  return std::clamp<int64_t>(length, 0, s.time);
}

/// All steps of the sequences [first, last) of the batch, which have the same length, of cell `cell` in `direction`; y
/// has rows of `width`. What follows the last step is 0.
void run_sequences(const KernelCall& call, const State& s, int cell, int direction, float* y, int64_t first,
                   int64_t last) {
  auto* work = static_cast<float*>(call.workspace);
  const auto* packed = static_cast<const float*>(call.weights);
  const int64_t width = s.hidden * s.directions;
  const int64_t state_at = (cell * s.batch + first) * s.hidden;
  const auto rows = static_cast<size_t>(last - first);
  const float* gates = work + s.input_gates + (direction * s.time * s.batch + first) * s.gates;
  float* hidden_gates = work + s.hidden_gates + (direction * s.batch + first) * s.gates;
  float* cells = work + s.cells + (direction * s.batch + first) * s.hidden;
  const float* last_h = call.in[static_cast<size_t>(s.pre_state)].as<const float>() + state_at;
  int64_t last_stride = s.hidden;
  const float* last_c = cells;
  if (s.has_cell_state) last_c = call.in[static_cast<size_t>(s.pre_state) + 1].as<const float>() + state_at;
  const EpilogueOp bias = bias_op(bias_of(call, s, cell, 1));

  GemmCall product;
  product.shape = {1, s.hidden, s.gates};
  product.packed = packed + s.matrices[static_cast<size_t>(cell)].state;
  product.c = hidden_gates;
  product.c_stride = s.gates;
  product.epilogue = &bias;
  product.epilogue_size = bias.tensor == nullptr ? 0 : 1;
  const int64_t time = length_of(call, s, first);
  for (int64_t i = 0; i < time && !call.over(); ++i) {
    const int64_t t = direction == 0 ? i : time - 1 - i;
    product.a = last_h;
    product.a_stride = last_stride;
    s.state_gemm->run(product, 0, last - first, 0, s.panels);
    float* h = y + (t * s.batch + first) * width + direction * s.hidden;
    s.step({.gates = gates + t * s.batch * s.gates,
            .hidden_gates = hidden_gates,
            .previous_state = s.has_cell_state ? last_c : last_h,
            .state = h,
            .cell = cells,
            .rows = rows,
            .hidden = static_cast<size_t>(s.hidden),
            .gate_stride = static_cast<size_t>(s.gates),
            .hidden_gate_stride = static_cast<size_t>(s.gates),
            .state_stride = static_cast<size_t>(width),
            .previous_state_stride = static_cast<size_t>(s.has_cell_state ? s.hidden : last_stride)});
    last_h = h;
    last_stride = width;
    last_c = cells;
  }
  for (int64_t t = time; t < s.time; ++t) {
    for (int64_t b = first; b < last; ++b) {
      std::fill_n(y + (t * s.batch + b) * width + direction * s.hidden, s.hidden, 0.0F);
    }
  }
  const auto row_bytes = static_cast<size_t>(s.hidden) * sizeof(float);
  if (s.state_out >= 0) {
    float* to = call.out[static_cast<size_t>(s.state_out)].as<float>() + state_at;
    for (size_t r = 0; r < rows; ++r) {
      std::memcpy(to + r * static_cast<size_t>(s.hidden), last_h + r * static_cast<size_t>(last_stride), row_bytes);
    }
  }
  if (s.cell_out >= 0) {
    std::memcpy(call.out[static_cast<size_t>(s.cell_out)].as<float>() + state_at, last_c, rows * row_bytes);
  }
}

void run(KernelCall& call) noexcept {
  const State& s = state_of<State>(call);
  auto* work = static_cast<float*>(call.workspace);
  const auto* packed = static_cast<const float*>(call.weights);
  const float* x = call.in[0].as<const float>();
  for (int layer = 0; layer < s.layers; ++layer) {
    float* y = layer + 1 == s.layers ? call.out[0].as<float>() : work + s.between[layer % 2];
    for (int d = 0; d < s.directions; ++d) {
      const int cell = layer * s.directions + d;
      const EpilogueOp bias = bias_op(bias_of(call, s, cell, 0));
      run_gemm(*s.input_gemm, s.products[static_cast<size_t>(layer)], x,
               packed + s.matrices[static_cast<size_t>(cell)].input,
               work + s.input_gates + d * s.time * s.batch * s.gates, &bias, bias.tensor == nullptr ? 0 : 1,
               *call.pool);
    }
    const int64_t cost = s.time * s.gates * s.hidden / 8;
    call.pool->parallel_for(s.directions * s.batch, grain_of(cost), [&](int64_t begin, int64_t end) {
      while (begin < end) {
        const int64_t d = begin / s.batch;
        const int64_t first = begin - d * s.batch;
        int64_t last = end - begin < s.batch - first ? first + end - begin : s.batch;
        if (s.lengths >= 0) last = first + 1;
        run_sequences(call, s, layer * s.directions + static_cast<int>(d), static_cast<int>(d), y, first, last);
        begin += last - first;
      }
    });
    x = y;
  }
}

template <Isa I, ComputeMode P>
struct IsaKernels {
  static constexpr std::array<KernelDef, 1> kKernels = {
      KernelDef{.name = kernel_name<Rnn, I, P>(),
                .op = &kOpSchema<Rnn>,
                .capability = I,
                .mode = P,
                .types = kRnnTypes,
                .fits = fits_products,
                .estimate = P == ComputeMode::kFloat32 ? nullptr : cost,
                .prepare = prepare,
                .run = run}};
};

constexpr auto kKernels = kernels_of_all_products<IsaKernels>();

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = kernel_table<kKernels>();

}  // namespace coracle::internal::cpu::kernels::rnn
