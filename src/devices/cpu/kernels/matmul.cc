// SPDX-License-Identifier: Apache-2.0
#include "ops/matmul.h"

#include <algorithm>

#include "devices/cpu/gemm_plan.h"
#include "devices/cpu/kernels/rows.h"
#include "ops/bmm.h"

/// Products of two computed matrices, batch by batch: the right one is packed into scratch first.
namespace coracle::cpu::kernels {
namespace {

/// Rows of a part that a thread takes, at least.
constexpr int64_t kRowTile = 12;

struct State {
  GemmCall call;
  GemmSource source;  ///< of one right matrix
  int64_t rows = 0;
  int64_t row_tile = kRowTile;
  int64_t panels = 0;
  int64_t packed_floats = 0;  ///< of one right matrix
  int64_t right_count = 0;
  int64_t right_size = 0;
  std::vector<int64_t> left;   ///< by product: element offset of its left matrix
  std::vector<int64_t> right;  ///< by product: which right matrix
};

bool transposes_x(const Matmul& op) { return op.transpose_x; }
bool transposes_x(const Bmm&) { return false; }
bool transposes_y(const Matmul& op) { return op.transpose_y; }
bool transposes_y(const Bmm&) { return false; }

template <class T>
Misfit fits(const void* op_attributes, const ArgFacts& args) noexcept {
  const auto& op = *static_cast<const T*>(op_attributes);
  if (transposes_x(op)) return "the left matrix is transposed";
  if (args.shape(0).rank() < 2 || args.shape(1).rank() < 2) return "only matrices";
  if (args.out().shape.count() == 0 || args.shape(0).count() == 0) return "no elements";
  return nullptr;
}

template <class T, Products P>
Misfit fits_products(const void* op_attributes, const ArgFacts& args) noexcept {
  if (const Misfit misfit = fits<T>(op_attributes, args)) return misfit;
  if (P == Products::kFloat32) return nullptr;
  const Shape& x = args.shape(0);
  if (x.rank() < 3) return "the rows may be a batch";
  const int64_t rows = x[x.rank() - 2];
  if (rows < kLeastRowsToPackTiles) return "too few rows for matrix tiles";
  return products_misfit(P, rows, {1, x.back(), args.out().shape.back()});
}

Shape without_matrix(const Shape& s) { return Shape(std::span(s.begin(), static_cast<size_t>(s.rank() - 2))); }

template <class T, Isa I, Products P>
Prepared prepare(const void* op_attributes, const ArgFacts& args, PrepareContext&) {
  const auto& op = *static_cast<const T*>(op_attributes);
  const GemmFunctions& gemm = gemm_table(I, P);
  const Shape& x = args.shape(0);
  const Shape& y = args.shape(1);
  const int64_t m = x[x.rank() - 2];
  const int64_t k = x.back();
  const int64_t n = args.out().shape.back();
  auto state = std::make_shared<State>();
  state->call.shape = {1, k, n};
  state->call.a_stride = k;
  state->call.c_stride = n;
  state->source.inner = k;
  state->source.inner_stride = transposes_y(op) ? 1 : n;
  state->source.column_stride = transposes_y(op) ? k : 1;
  state->rows = m;
  if (P != Products::kFloat32) state->row_tile = gemm.tile_rows(n);
  state->panels = gemm.panels(n);
  state->packed_floats = gemm.packed_floats(state->call.shape);
  const Shape left = without_matrix(x);
  const Shape right = without_matrix(y);
  state->right_count = right.count();
  state->right_size = k * n;
  const Shape batch = broadcast(left, right);
  const BroadcastWalk walk(batch, left, right);
  walk.each([&](int64_t, int64_t l, int64_t r) {
    state->left.push_back(l * m * k);
    state->right.push_back(r);
  });
  Prepared prepared;
  prepared.workspace = static_cast<size_t>(state->packed_floats * state->right_count) * sizeof(float);
  prepared.state_bytes = sizeof(State) + state->left.size() * 2 * sizeof(int64_t);
  prepared.state = state;
  return prepared;
}

template <Isa I, Products P>
void run(KernelCall& call) noexcept {
  constexpr int64_t kGrain = 256 << 10;
  const GemmFunctions& gemm = gemm_table(I, P);
  const State& state = state_of<State>(call);
  const auto* x = call.in[0].as<const float>();
  const auto* y = call.in[1].as<const float>();
  auto* out = call.out[0].as<float>();
  auto* packed = static_cast<float*>(call.workspace);
  const GemmShape& shape = state.call.shape;
  call.pool->parallel_for(state.right_count, (32 << 10) / (state.right_size + 1) + 1, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      GemmSource source = state.source;
      source.data = y + r * state.right_size;
      gemm.pack(shape, source, packed + r * state.packed_floats, 0, state.panels);
    }
  });
  const int64_t tiles = (state.rows + state.row_tile - 1) / state.row_tile;
  const int64_t per_tile = state.row_tile * shape.depth * shape.columns + 1;
  const auto products = static_cast<int64_t>(state.left.size());
  call.pool->parallel_for(products * tiles, kGrain / per_tile + 1, [&](int64_t begin, int64_t end) {
    while (begin < end) {
      const int64_t product = begin / tiles;
      const int64_t last = std::min(end, (product + 1) * tiles);
      GemmCall c = state.call;
      c.a = x + state.left[static_cast<size_t>(product)];
      c.packed = packed + state.right[static_cast<size_t>(product)] * state.packed_floats;
      c.c = out + product * state.rows * shape.columns;
      gemm.run(c, (begin - product * tiles) * state.row_tile,
               std::min((last - product * tiles) * state.row_tile, state.rows), 0, state.panels);
      begin = last;
    }
  });
}

template <Isa I, Products P>
struct Rows {
  template <class T>
  static constexpr Kernel row() {
    return {.name = row_name<T, I, P>(),
            .op = &kOpRow<T>,
            .isa = I,
            .products = P,
            .fits = fits_products<T, P>,
            .prepare = prepare<T, I, P>,
            .run = run<I, P>};
  }
  static constexpr std::array<Kernel, 2> kRows = {row<Matmul>(), row<Bmm>()};
};

constexpr auto kRows = rows_of_all_products<Rows>();

}  // namespace

extern const KernelTable matmul;
constinit const KernelTable matmul = {kRows};

}  // namespace coracle::cpu::kernels
