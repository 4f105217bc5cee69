// SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/matmul.h"

#include <algorithm>

#include "base/buffer.h"
#include "devices/cpu/contraction.h"
#include "devices/cpu/kernel_isa.h"
#include "devices/cpu/kernels/kernel_table.h"
#include "devices/cpu/tile_cost.h"
#include "ops/matmul/addmm.h"
#include "ops/matmul/baddbmm.h"
#include "ops/matmul/bmm.h"
#include "ops/matmul/mv.h"

/// Products of two computed matrices, batch by batch.
namespace coracle::internal::cpu::kernels::matmul {
namespace {

/// A product and, for addmm, what is added: beta * input + alpha * product.
struct State {
  explicit State(const RunContext& run) : added(run) {}

  Contraction product;
  bool adds = false;
  float alpha = 1;
  float beta = 1;
  Buffer<int64_t> added;  ///< by row of the result: where the input's row begins
  int64_t columns = 0;
  int64_t column_step = 0;  ///< of the input
};

/// Which operands are multiplied, and how, and what of operand 0 is added.
struct Form {
  int x = 0;
  bool transpose_x = false;
  bool transpose_y = false;
  double alpha = 1;
  double beta = 1;

  bool adds() const { return x > 0; }
};

Form form_of(const Matmul& op) { return {0, op.transpose_x, op.transpose_y}; }
Form form_of(const Bmm&) { return {}; }
Form form_of(const Mv&) { return {}; }
Form form_of(const Addmm& op) { return {.x = 1, .alpha = op.alpha, .beta = op.beta}; }
Form form_of(const Baddbmm& op) { return {.x = 1, .alpha = op.alpha, .beta = op.beta}; }

/// The dimensions of a product by NumPy's rule.
std::vector<ContractionLabel> labels_of(const Form& form, const Shape& x, const Shape& y) {
  // Dimension d from the end of an operand: its size and step; beyond the first one, 1 and 0.
  const auto dimension = [](const Shape& s, int d) {
    ContractionLabel l{.size = d < s.rank() ? s[s.rank() - 1 - d] : 1};
    l.a = l.size > 1 ? s.count(s.rank() - d, s.rank()) : 0;
    return l;
  };
  const bool matrix_x = x.rank() > 1;
  const bool matrix_y = y.rank() > 1;
  const ContractionLabel m = matrix_x ? dimension(x, form.transpose_x ? 0 : 1) : ContractionLabel{};
  const ContractionLabel k = dimension(x, matrix_x && form.transpose_x ? 1 : 0);
  const ContractionLabel n = matrix_y ? dimension(y, form.transpose_y ? 1 : 0) : ContractionLabel{};
  const ContractionLabel k_of_y = dimension(y, matrix_y && !form.transpose_y ? 1 : 0);
  std::vector<ContractionLabel> labels = {{k.size, k.a, k_of_y.a, 0}, {n.size, 0, n.a, 1}, {m.size, m.a, 0, n.size}};
  int64_t step = m.size * n.size;
  for (int d = 2; d < std::max(x.rank(), y.rank()); ++d) {
    const ContractionLabel left = dimension(x, d);
    const ContractionLabel right = dimension(y, d);
    const int64_t size = left.size == 1 ? right.size : left.size;
    labels.push_back({size, left.a, right.a, step});
    step *= size;
  }
  return labels;
}

/// True if the first dimension of x, which may be the batch, makes rows of the product.
bool rows_may_be_a_batch(const Form& form, const Shape& x, const Shape& y) {
  if (x.rank() < 2 || (x.rank() == 2 && form.transpose_x)) return false;
  return x.rank() == 2 || y.rank() < x.rank() || (y[0] == 1 && x[0] > 1);
}

RejectionReason rejection_of(const Form& form, const ArgFacts& args) {
  const Shape& x = args.shape(form.x);
  const Shape& y = args.shape(form.x + 1);
  if (args.out().shape.count() == 0 || x.count() == 0 || x.rank() == 0 || y.rank() == 0) return "no elements";
  if (const RejectionReason rejection = Contraction::rejection(labels_of(form, x, y))) return rejection;
  const ComputeMode mode = kernel_mode(args.kernel());
  if (mode == ComputeMode::kFloat32) return nullptr;
  if (x.rank() < 3) return "the rows may be a batch";
  const int64_t rows = x[x.rank() - (form.transpose_x ? 1 : 2)];
  if (rows < kLeastRowsToPackTiles) return "too few rows for matrix tiles";
  return mode_rejection(mode, rows, {1, x[x.rank() - (form.transpose_x ? 2 : 1)], args.out().shape.back()});
}

/// Of one matrix of a batch.
std::optional<CostEstimate> cost_of(const Form& form, const ArgFacts& args) {
  const Shape& x = args.shape(form.x);
  return tile_cost(kernel_mode(args.kernel()),
                   {.rows = x[x.rank() - (form.transpose_x ? 1 : 2)],
                    .shape = {1, x[x.rank() - (form.transpose_x ? 2 : 1)], args.out().shape.back()},
                    .packs = true});
}

void set_added(const RunContext& run, const Form& form, const ArgFacts& args, State& s) {
  s.adds = true;
  s.alpha = static_cast<float>(form.alpha);
  s.beta = static_cast<float>(form.beta);
  const Shape& y = args.out().shape;
  const Shape& input = args.shape(0);
  s.columns = y.back();
  s.column_step = input.rank() > 0 && input.back() > 1 ? 1 : 0;
  Shape rows = y;
  rows[rows.rank() - 1] = 1;
  Shape from = input;
  const int64_t width = from.rank() > 0 ? from.back() : 1;
  if (from.rank() > 0) from[from.rank() - 1] = 1;
  BroadcastWalk(rows, from, rows).each(run, [&](int64_t, int64_t at, int64_t) { s.added.push_back(at * width); });
}

Prepared prepared_product(const RunContext& run, const Form& form, const ArgFacts& args) {
  const KernelDef& kernel = args.kernel();
  const Shape& x = args.shape(form.x);
  const Shape& y = args.shape(form.x + 1);
  State s(run);
  s.product = Contraction(labels_of(form, x, y), kernel_isa(kernel), kernel_mode(kernel), args.out().dtype,
                          rows_may_be_a_batch(form, x, y));
  if (form.adds()) set_added(run, form, args, s);
  const size_t workspace = s.product.workspace();
  const size_t extra = s.product.bytes() + s.added.size() * sizeof(int64_t);
  return prepared(std::move(s), workspace, extra);
}

template <class T>
RejectionReason fits(const void* op, const ArgFacts& args) {
  return rejection_of(form_of(*static_cast<const T*>(op)), args);
}

template <class T>
std::optional<CostEstimate> cost(const void* op, const ArgFacts& args) {
  return cost_of(form_of(*static_cast<const T*>(op)), args);
}

template <class T>
Prepared prepare(const void* op, const ArgFacts& args, PrepareContext& context) {
  return prepared_product(*context.run, form_of(*static_cast<const T*>(op)), args);
}

/// The product's operands begin with number kFirst.
template <size_t kFirst>
void run(KernelCall& call) noexcept {
  const State& s = state_of<State>(call);
  s.product.run(call.in[kFirst].data, call.in[kFirst + 1].data, call.out[0].data, call.workspace, call);
  if (!s.adds) return;
  const auto* input = call.in[0].as<const float>();
  auto* y = call.out[0].as<float>();
  call.pool->parallel_for(static_cast<int64_t>(s.added.size()), grain_of(s.columns), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const float* from = input + s.added[static_cast<size_t>(r)];
      float* to = y + r * s.columns;
      if (s.column_step == 1) {
        for (int64_t i = 0; i < s.columns; ++i) to[i] = s.alpha * to[i] + s.beta * from[i];
      } else {
        for (int64_t i = 0; i < s.columns; ++i) to[i] = s.alpha * to[i] + s.beta * *from;
      }
    }
  });
}

template <Isa I, ComputeMode P>
struct IsaKernels {
  template <class T, size_t kFirst = 0>
  static constexpr KernelDef make_kernel() {
    return {.name = kernel_name<T, I, P>(),
            .op = &kOpSchema<T>,
            .capability = I,
            .mode = P,
            .fits = fits<T>,
            .estimate = P == ComputeMode::kFloat32 ? nullptr : cost<T>,
            .prepare = prepare<T>,
            .run = run<kFirst>};
  }
  static constexpr std::array<KernelDef, 5> kKernels = {make_kernel<Matmul>(), make_kernel<Bmm>(), make_kernel<Mv>(),
                                                        make_kernel<Addmm, 1>(), make_kernel<Baddbmm, 1>()};
};

constexpr TypeRule kDoubleTypes = {.operands = DType::kFloat64, .results = DType::kFloat64};

template <Isa I>
struct DoubleKernels {
  template <class T>
  static constexpr KernelDef make_kernel(const char* name) {
    return {.name = name,
            .op = &kOpSchema<T>,
            .capability = I,
            .types = kDoubleTypes,
            .fits = fits<T>,
            .prepare = prepare<T>,
            .run = run<0>};
  }
  static constexpr std::array<KernelDef, 3> kKernels = {make_kernel<Matmul>(kernel_name<"matmul.float64", I>()),
                                                        make_kernel<Bmm>(kernel_name<"bmm.float64", I>()),
                                                        make_kernel<Mv>(kernel_name<"mv.float64", I>())};
};

constexpr auto kKernels =
    kernel_table_detail::join(kernels_of_all_products<IsaKernels>(), kernels_of_each_isa<DoubleKernels>());

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = kernel_table<kKernels>();

}  // namespace coracle::internal::cpu::kernels::matmul
