// SPDX-License-Identifier: Apache-2.0
#include "ops/attention/attention.h"

#include <algorithm>
#include <vector>

#include "devices/cpu/gemm_plan.h"
#include "devices/cpu/isa/softmax.h"
#include "devices/cpu/kernel_isa.h"
#include "devices/cpu/kernels/kernel_table.h"
#include "devices/cpu/tile_cost.h"

/// Scaled dot-product attention, some queries of one head after the other: their scores, softmax over them and the
/// product with the values follow each other in cache. Operands and result may be strided, as the heads of a
/// transformer are in the products they come from.
namespace coracle::internal::cpu::kernels::attention {
namespace {

/// Scores that are computed at once should stay in the level-2 cache, next to packed keys and values.
constexpr int64_t kBlockScores = 48 << 10;
/// Multiply-adds that are worth a thread.
constexpr int64_t kThreadMultiplies = 256 << 10;
/// What the softmax of a score takes, in multiplications.
constexpr int64_t kScoreMultiplies = 64;

/// Steps of the last two dimensions.
struct MatrixSteps {
  int64_t row = 0;
  int64_t column = 0;
};

/// Elements from the beginning of operands and result to those of one head.
struct Head {
  int64_t q = 0, k = 0, v = 0, mask = 0, out = 0;
};

struct State {
  const GemmFunctions* gemm = nullptr;
  const SoftmaxFunctions* softmax = nullptr;
  std::vector<Head> heads;
  int64_t queries = 0, keys = 0;
  MatrixSteps q, k, v, mask, out;
  bool masked = false;
  float scale = 1;
  GemmShape scores;   ///< [depth, keys]
  GemmShape results;  ///< [keys, width]
  int64_t block = 1;  ///< queries computed at once
  int bands = 1;
  int64_t packed_keys = 0, packed_values = 0;  ///< floats
  int64_t band_floats = 0;
};

/// Where the elements of an operand or result are, in elements by dimension of the result: 0 where it is repeated.
struct Place {
  int64_t start = 0;
  int64_t step[Shape::kMaxRank] = {};

  Place(const Fact& fact, const StridedView* strided, int rank) {
    const StridedView view = strided == nullptr ? dense_view(fact) : *strided;
    start = view.start;
    const int added = rank - fact.shape.rank();
    for (int d = 0; d < fact.shape.rank(); ++d) step[d + added] = fact.shape[d] == 1 ? 0 : view.step[d];
  }
  MatrixSteps matrix(int rank) const { return {step[rank - 2], step[rank - 1]}; }
};

/// Element i of the leading dimensions of `shape`.
int64_t offset_of(const Place& place, const Shape& shape, int64_t i) {
  int64_t offset = place.start;
  for (int d = shape.rank() - 3; d >= 0; --d) {
    offset += i % shape[d] * place.step[d];
    i /= shape[d];
  }
  return offset;
}

bool adjacent(const Fact& fact, const StridedView* view) {
  return view == nullptr || fact.shape.back() == 1 || view->step[fact.shape.rank() - 1] == 1;
}

RejectionReason fits(const void*, const ArgFacts& args) {
  for (const Fact* f : args.all_in()) {
    if (f->shape.count() == 0) return "no elements";
  }
  if (!adjacent(args.in(0), args.view_in(0)) || !adjacent(args.out(), args.view_out())) {
    return "the elements of a row are not adjacent";
  }
  return nullptr;
}

RejectionReason fits_products(const void* attributes, const ArgFacts& args) {
  if (const RejectionReason rejection = fits(attributes, args)) return rejection;
  if (kernel_mode(args.kernel()) == ComputeMode::kFloat32) return nullptr;
  const Shape& y = args.out().shape;
  const int64_t queries = y[y.rank() - 2];
  const int64_t keys = args.shape(2)[args.shape(2).rank() - 2];
  if (queries < kLeastRowsToPackTiles) return "too few queries for matrix tiles";
  if (const RejectionReason rejection =
          mode_rejection(kernel_mode(args.kernel()), queries, {1, args.shape(0).back(), keys}))
    return rejection;
  return mode_rejection(kernel_mode(args.kernel()), queries, {1, keys, y.back()});
}

/// Of one head: scores, and their product with the values.
std::optional<CostEstimate> cost(const void*, const ArgFacts& args) {
  const Shape& y = args.out().shape;
  const int64_t queries = y[y.rank() - 2];
  const int64_t keys = args.shape(2)[args.shape(2).rank() - 2];
  const ComputeMode mode = kernel_mode(args.kernel());
  return sum_of(tile_cost(mode, {.rows = queries, .shape = {1, args.shape(0).back(), keys}, .packs = true}),
                tile_cost(mode, {.rows = queries, .shape = {1, keys, y.back()}, .packs = true}));
}

Prepared prepare(const void* attributes, const ArgFacts& args, PrepareContext& context) {
  const auto& op = *static_cast<const Attention*>(attributes);
  const Shape& y = args.out().shape;
  const int rank = y.rank();
  State s;
  s.gemm = &gemm_table(args.kernel());
  s.softmax = &softmax_table(kernel_isa(args.kernel()));
  s.queries = y[rank - 2];
  s.keys = args.shape(2)[args.shape(2).rank() - 2];
  s.scale = static_cast<float>(op.scale);
  s.scores = {1, args.shape(0).back(), s.keys};
  s.results = {1, s.keys, y.back()};
  const Place q(args.in(0), args.view_in(0), rank);
  const Place k(args.in(1), args.view_in(1), rank);
  const Place v(args.in(2), args.view_in(2), rank);
  const Place out(args.out(), args.view_out(), rank);
  s.q = q.matrix(rank);
  s.k = k.matrix(rank);
  s.v = v.matrix(rank);
  s.out = out.matrix(rank);
  s.masked = args.has(3);
  const Place mask = s.masked ? Place(args.in(3), args.view_in(3), rank) : out;
  s.mask = mask.matrix(rank);
  for (int64_t i = 0, n = y.count(0, rank - 2); i < n; ++i) {
    s.heads.push_back(
        {offset_of(q, y, i), offset_of(k, y, i), offset_of(v, y, i), offset_of(mask, y, i), offset_of(out, y, i)});
  }
  const int64_t tile = s.gemm->tile_rows(s.keys);
  s.block = std::min(s.queries, std::max(kBlockScores / s.keys / tile, int64_t{1}) * tile);
  s.packed_keys = s.gemm->packed_floats(s.scores);
  s.packed_values = s.gemm->packed_floats(s.results);
  // Scores, and the mask's numbers where those of a row are not adjacent.
  const int64_t scores = (s.block * s.keys + 15) / 16 * 16;
  s.band_floats = s.packed_keys + s.packed_values + scores * (s.masked && s.mask.column != 1 ? 2 : 1);
  const auto multiplies = static_cast<double>(s.heads.size()) * static_cast<double>(s.queries) *
                          static_cast<double>(s.keys) *
                          static_cast<double>(s.scores.depth + s.results.columns + kScoreMultiplies);
  s.bands = static_cast<int>(
      std::clamp<double>(multiplies / static_cast<double>(kThreadMultiplies), 1.0, context.pool->threads()));
  const Size workspace = Size(s.bands) * s.band_floats * sizeof(float);
  const size_t extra = s.heads.size() * sizeof(Head);
  return prepared(std::move(s), workspace, extra);
}

/// Computes queries of one head after the other on one thread.
class Band {
 public:
  Band(const State& s, const KernelCall& call, float* scratch)
      : s_(s), call_(call), keys_(scratch), values_(keys_ + s.packed_keys), scores_(values_ + s.packed_values) {}

  /// Queries [begin, end), counted through all heads.
  void run(int64_t begin, int64_t end) {
    while (begin < end) {
      const Head& head = s_.heads[static_cast<size_t>(begin / s_.queries)];
      const int64_t first = begin % s_.queries;
      const int64_t last = std::min(s_.queries, first + end - begin);
      pack(head);
      for (int64_t at = first; at < last; at += s_.block) {
        if (call_.over()) return;
        attend(head, at, std::min(s_.block, last - at));
      }
      begin += last - first;
    }
  }

 private:
  const float* operand(int port) const { return call_.in[static_cast<size_t>(port)].as<const float>(); }

  void pack(const Head& head) {
    GemmSource keys;
    keys.data = operand(1) + head.k;
    keys.inner = s_.scores.depth;
    keys.inner_stride = s_.k.column;
    keys.column_stride = s_.k.row;
    keys.scale = s_.scale;  // there are fewer of their elements than scores
    s_.gemm->pack(s_.scores, keys, keys_, 0, s_.gemm->panels(s_.scores.columns));
    GemmSource values;
    values.data = operand(2) + head.v;
    values.inner = s_.keys;
    values.inner_stride = s_.v.row;
    values.column_stride = s_.v.column;
    s_.gemm->pack(s_.results, values, values_, 0, s_.gemm->panels(s_.results.columns));
  }

  void attend(const Head& head, int64_t first, int64_t rows) {
    EpilogueOp add;
    if (s_.masked) {
      const float* mask = operand(3) + head.mask + first * s_.mask.row;
      const bool adjacent = s_.mask.column == 1 || s_.keys == 1;
      add = {.step = {EpilogueKind::kAddTensor},
             .tensor = adjacent ? mask : gathered(mask, rows),
             .tensor_stride = adjacent ? s_.mask.row : s_.keys};
    }
    GemmCall c;
    c.shape = s_.scores;
    c.a = operand(0) + head.q + first * s_.q.row;
    c.a_stride = s_.q.row;
    c.packed = keys_;
    c.c = scores_;
    c.c_stride = s_.keys;
    c.epilogue = &add;
    c.epilogue_size = s_.masked ? 1 : 0;
    s_.gemm->run(c, 0, rows, 0, s_.gemm->panels(c.shape.columns));
    s_.softmax->rows(scores_, scores_, static_cast<size_t>(rows), static_cast<size_t>(s_.keys),
                     static_cast<size_t>(softmax_elements_in_vectors(s_.keys)), call_.deadline());
    GemmCall r;
    r.shape = s_.results;
    r.a = scores_;
    r.a_stride = s_.keys;
    r.packed = values_;
    r.c = call_.out[0].as<float>() + head.out + first * s_.out.row;
    r.c_stride = s_.out.row;
    s_.gemm->run(r, 0, rows, 0, s_.gemm->panels(r.shape.columns));
  }

  /// Rows of the mask side by side: one number for all keys of a row is repeated, strided ones are brought together.
  const float* gathered(const float* mask, int64_t rows) {
    float* to = scores_ + (s_.block * s_.keys + 15) / 16 * 16;
    for (int64_t r = 0; r < rows; ++r) {
      const float* from = mask + r * s_.mask.row;
      for (int64_t k = 0; k < s_.keys; ++k) to[r * s_.keys + k] = from[k * s_.mask.column];
    }
    return to;
  }

  const State& s_;
  const KernelCall& call_;
  float* keys_;
  float* values_;
  float* scores_;
};

void run(KernelCall& call) noexcept {
  const State& s = state_of<State>(call);
  const int64_t all = static_cast<int64_t>(s.heads.size()) * s.queries;
  call.pool->parallel_for(s.bands, 1, [&](int64_t first, int64_t last) {
    for (int64_t b = first; b < last; ++b) {
      Band band(s, call, static_cast<float*>(call.workspace) + b * s.band_floats);
      band.run(all * b / s.bands, all * (b + 1) / s.bands);
    }
  });
}

template <Isa I, ComputeMode P>
struct IsaKernels {
  static constexpr std::array<KernelDef, 1> kKernels = {
      KernelDef{.name = kernel_name<Attention, I, P>(),
                .op = &kOpSchema<Attention>,
                .capability = I,
                .mode = P,
                .strided = true,
                .fits = fits_products,
                .estimate = P == ComputeMode::kFloat32 ? nullptr : cost,
                .prepare = prepare,
                .run = run}};
};

constexpr auto kKernels = kernels_of_all_products<IsaKernels>();

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = kernel_table<kKernels>();

}  // namespace coracle::internal::cpu::kernels::attention
