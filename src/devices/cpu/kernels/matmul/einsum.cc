// SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/einsum.h"

#include <algorithm>

#include "devices/cpu/contraction.h"
#include "devices/cpu/kernel_isa.h"
#include "devices/cpu/kernels/kernel_table.h"
#include "ops/matmul/bilinear.h"

/// Sums of products by formula: the first two operands, their result with the third, and so on, each a contraction.
namespace coracle::internal::cpu::kernels::einsum {
namespace {

/// The dimensions of a tensor by label; a label that occurs twice is a diagonal.
struct Labelled {
  std::vector<int> labels;
  Shape shape;

  int64_t step(int label) const {
    int64_t sum = 0;
    for (size_t d = 0; d < labels.size(); ++d) {
      const int i = static_cast<int>(d);
      if (labels[d] == label && shape[i] != 1) sum += shape.count(i + 1, shape.rank());
    }
    return sum;
  }
  bool has(int label) const { return std::find(labels.begin(), labels.end(), label) != labels.end(); }
};

struct State {
  std::vector<Contraction> steps;
  std::vector<size_t> between;  ///< where the results of all steps but the last lie in the workspace
  size_t scratch = 0;           ///< and where that of the steps does
  bool biased = false;          ///< one number per column is added
};

/// What is contracted, one after the other; null where it cannot be.
struct Chain {
  RejectionReason rejection = nullptr;
  std::vector<std::vector<ContractionLabel>> steps;
  std::vector<int64_t> sizes;  ///< elements of the results
  std::vector<bool> batched;   ///< the first dimension, which may be the batch, is in one operand only
};

Chain chain_of(const std::vector<Labelled>& operands, const std::vector<int>& result,
               const std::vector<int64_t>& sizes) {
  Chain chain;
  Labelled left = operands[0];
  for (size_t i = 1; i < operands.size(); ++i) {
    const Labelled& right = operands[i];
    const bool last = i + 1 == operands.size();
    Labelled product;
    if (last) product.labels = result;
    std::vector<int> all = left.labels;
    all.insert(all.end(), right.labels.begin(), right.labels.end());
    // What later operands or the result have stays: rows before columns, but what both have first.
    const auto needed = [&](int label) {
      const auto later = operands.begin() + static_cast<int64_t>(i) + 1;
      return std::find(result.begin(), result.end(), label) != result.end() ||
             std::any_of(later, operands.end(), [&](const Labelled& o) { return o.has(label); });
    };
    const auto keep = [&](bool both) {
      for (int label : all) {
        if (needed(label) && !product.has(label) && (left.has(label) && right.has(label)) == both) {
          product.labels.push_back(label);
        }
      }
    };
    if (!last) {
      keep(true);
      keep(false);
    }
    for (int label : product.labels) product.shape.push_back(sizes[static_cast<size_t>(label)]);
    std::vector<ContractionLabel> labels;
    for (int label = 0; label < static_cast<int>(sizes.size()); ++label) {
      if (!left.has(label) && !right.has(label) && !product.has(label)) continue;
      labels.push_back({sizes[static_cast<size_t>(label)], left.step(label), right.step(label), product.step(label)});
    }
    if (chain.rejection == nullptr) chain.rejection = Contraction::rejection(labels);
    chain.steps.push_back(std::move(labels));
    chain.sizes.push_back(product.shape.count());
    const std::vector<int>& kept = product.labels;
    chain.batched.push_back(!kept.empty() && left.has(kept[0]) != right.has(kept[0]));
    left = product;
  }
  return chain;
}

Chain chain_of(const Einsum& op, const ArgFacts& args) {
  std::vector<int> ranks;
  std::vector<Shape> shapes;
  for (int i = 0; i < args.count(0); ++i) {
    ranks.push_back(args.shape(0, i).rank());
    shapes.push_back(args.shape(0, i));
  }
  const EinsumPlan plan = plan_einsum(op.equation, ranks);
  std::vector<Labelled> operands;
  for (size_t i = 0; i < shapes.size(); ++i) operands.push_back({plan.operands[i], shapes[i]});
  return chain_of(operands, plan.result, einsum_sizes(plan, shapes));
}

/// x[n, i] w[c, i, j] y[n, j]: the sum over i channel by channel, then that over j.
Chain chain_of(const Bilinear&, const ArgFacts& args) {
  const Shape& w = args.shape(2);
  const Shape& x = args.shape(0);
  enum { kN, kC, kI, kJ };
  return chain_of({{{kN, kI}, x}, {{kC, kI, kJ}, w}, {{kN, kJ}, args.shape(1)}}, {kN, kC}, {x[0], w[0], w[1], w[2]});
}

bool is_short(const Einsum&, const ArgFacts& args) { return args.count(0) < 2; }
bool is_short(const Bilinear&, const ArgFacts&) { return false; }

template <class T>
RejectionReason fits(const void* op, const ArgFacts& args) {
  const auto& o = *static_cast<const T*>(op);
  if (is_short(o, args)) return "one operand";
  for (const Fact* f : args.all_in()) {
    if (f->shape.count() == 0) return "no elements";
  }
  return chain_of(o, args).rejection;
}

template <class T>
Prepared prepare(const void* op, const ArgFacts& args, PrepareContext&) {
  const Chain chain = chain_of(*static_cast<const T*>(op), args);
  State s;
  size_t results = 0;
  size_t extra = 0;
  for (size_t i = 0; i < chain.steps.size(); ++i) {
    s.steps.emplace_back(chain.steps[i], kernel_isa(args.kernel()), ComputeMode::kFloat32, DType::kFloat32,
                         chain.batched[i]);
    s.between.push_back(results);
    if (i + 1 < chain.steps.size()) results += (static_cast<size_t>(chain.sizes[i]) * sizeof(float) + 63) / 64 * 64;
    s.scratch = std::max(s.scratch, s.steps.back().workspace());
    extra += s.steps.back().bytes() + sizeof(Contraction);
  }
  const size_t workspace = s.scratch + results;
  s.biased = std::is_same_v<T, Bilinear> && args.has(3);
  return prepared(std::move(s), workspace, extra);
}

/// The operand that comes i-th in the chain.
template <class T>
constexpr size_t operand(size_t i) {
  constexpr size_t kBilinearOrder[] = {0, 2, 1};
  return std::is_same_v<T, Bilinear> ? kBilinearOrder[i] : i;
}

template <class T>
void run(KernelCall& call) noexcept {
  const State& s = state_of<State>(call);
  auto* const room = static_cast<char*>(call.workspace);
  const void* left = call.in[0].data;
  for (size_t i = 0; i < s.steps.size(); ++i) {
    void* to = i + 1 == s.steps.size() ? call.out[0].data : room + s.scratch + s.between[i];
    s.steps[i].run(left, call.in[operand<T>(i + 1)].data, to, room, call);
    left = to;
  }
  if (!s.biased) return;
  const auto* bias = call.in[3].as<const float>();
  auto* y = call.out[0].as<float>();
  const Shape& shape = call.out[0].fact->shape;
  for (int64_t r = 0; r < shape[0]; ++r) {
    for (int64_t c = 0; c < shape[1]; ++c) y[r * shape[1] + c] += bias[c];
  }
}

template <Isa I>
struct IsaKernels {
  template <class T>
  static constexpr KernelDef make_kernel() {
    return {.name = kernel_name<T, I>(),
            .op = &kOpSchema<T>,
            .capability = I,
            .fits = fits<T>,
            .prepare = prepare<T>,
            .run = run<T>};
  }
  static constexpr std::array<KernelDef, 2> kKernels = {make_kernel<Einsum>(), make_kernel<Bilinear>()};
};

constexpr auto kKernels = kernels_of_each_isa<IsaKernels>();

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = kernel_table<kKernels>();

}  // namespace coracle::internal::cpu::kernels::einsum
