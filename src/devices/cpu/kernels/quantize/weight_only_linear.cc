// SPDX-License-Identifier: Apache-2.0
#include "ops/quantize/weight_only_linear.h"

#include "devices/cpu/kernel_isa.h"
#include "devices/cpu/kernels/kernel_table.h"
#include "devices/cpu/narrow_gemm.h"
#include "ops/quantize/llm_int8_linear.h"

/// Products with weights that files have in eight or four bits and scales for each column, or for each column and group
/// of rows.
namespace coracle::internal::cpu::kernels::weight_only_linear {
namespace {

/// The panels of a matrix that weight_quantize() packed, with its scales.
struct WeightOnlyForm {
  static constexpr std::string_view kLayout = "weight_only.panels.v1";

  int64_t isa = 0;
  int64_t bits = 8;   ///< how the constant is packed (WeightPacking), and the next two
  int64_t plain = 0;  ///< 0 or 1
  int64_t tiled = 0;  ///< 0 or 1
  int64_t depth = 0;
  int64_t columns = 0;
  int64_t group = 0;  ///< rows that share scales

  GemmShape shape() const { return {1, depth, columns}; }
  const GemmFunctions& table() const { return gemm_table(static_cast<Isa>(isa)); }
  NarrowLayout layout() const {
    const int64_t groups = (depth + group - 1) / group;
    return {table(), shape(), bits == 4 ? NarrowType::kInt4 : NarrowType::kInt8, groups * columns};
  }
  size_t bytes() const { return layout().bytes(); }
  void pack(std::span<const Tensor* const> constants, std::byte* to, ThreadPool& pool, const RunContext& context) const;
};

/// Two columns of a full panel in one byte, as NarrowMatrix has them.
void pack_halves(const int8_t* from, int64_t width, std::byte* to) {
  for (int64_t c = 0; c < width / 2; ++c) {
    to[c] = static_cast<std::byte>((from[c] + 8) | ((from[c + width / 2] + 8) << 4));
  }
}

void WeightOnlyForm::pack(std::span<const Tensor* const> constants, std::byte* to, ThreadPool& pool,
                          const RunContext& context) const {
  const NarrowLayout at = layout();
  const WeightPacking packing{.bits = static_cast<int>(bits), .plain = plain != 0, .tiled = tiled != 0};
  const Buffer<int8_t> integers = unpacked_integers(context, packing, constants[0]->data<int8_t>(), depth, columns);
  auto* const scales = reinterpret_cast<float*>(to + at.scales_at);
  std::copy_n(constants[1]->data<float>(), at.scales, scales);
  const int64_t width = table().narrow->panel_columns;
  pool.parallel_for(at.full, 1, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      std::byte* panel = to + static_cast<size_t>(p) * at.panel_bytes;
      for (int64_t k = 0; k < depth; ++k, panel += width * bits / 8) {
        const int8_t* from = integers.data() + k * columns + p * width;
        if (bits == 4) {
          pack_halves(from, width, panel);
        } else {
          std::copy_n(reinterpret_cast<const std::byte*>(from), width, panel);
        }
      }
    }
  });
  const int64_t first = at.full * width;
  const int64_t left = columns - first;
  if (left == 0) return;
  Buffer<float> tail(static_cast<size_t>(depth * left), context);
  for (int64_t k = 0; k < depth; ++k) {
    for (int64_t c = 0; c < left; ++c) {
      tail[static_cast<size_t>(k * left + c)] =
          static_cast<float>(integers[static_cast<size_t>(k * columns + first + c)]) *
          scales[k / group * columns + first + c];
    }
  }
  const GemmSource source{.data = tail.data(), .inner = depth, .inner_stride = left, .column_stride = 1};
  table().pack({1, depth, left}, source, reinterpret_cast<float*>(to + at.tail_at), 0, 1);
}

struct State {
  NarrowPlan plan;
  int bias = -1;  ///< position of the operand, -1 for none
};

WeightPacking packing_of(const WeightOnlyLinear& op) { return op.packing(); }
WeightPacking packing_of(const LlmInt8Linear&) { return weight_packing("llm.int8", 80); }
int64_t group_of(const WeightOnlyLinear& op) { return op.group_size; }
int64_t group_of(const LlmInt8Linear&) { return -1; }

RejectionReason fits(const void*, const ArgFacts& args) {
  if (args.in(1).value == nullptr || args.in(3).value == nullptr) return "the weights are not constant";
  if (args.out().shape.count() == 0 || args.in(0).shape.count() == 0) return "no elements";
  return nullptr;
}

template <class Op>
Prepared prepare(const void* op_attributes, const ArgFacts& args, PrepareContext& context) {
  const auto& op = *static_cast<const Op*>(op_attributes);
  const GemmFunctions& gemm = gemm_table(kernel_isa(args.kernel()));
  const WeightPacking packing = packing_of(op);
  WeightOnlyForm form;
  form.isa = static_cast<int64_t>(kernel_isa(args.kernel()));
  form.bits = packing.bits;
  form.plain = packing.plain ? 1 : 0;
  form.tiled = packing.tiled ? 1 : 0;
  form.depth = args.shape(1)[1];
  form.columns = args.out().shape.back();
  form.group = group_of(op) > 0 ? std::min<int64_t>(group_of(op), form.depth) : form.depth;
  GemmPlan plan;
  plan.call.shape = form.shape();
  plan.call.a_stride = form.depth;
  plan.call.c_stride = form.columns;
  plan.rows = args.shape(0).count() / form.depth;
  plan.panels = gemm.panels(form.columns);
  State state{NarrowPlan(gemm, std::move(plan), form.layout()), args.has(2) ? args.index(2) : -1};
  state.plan.group = form.group;
  const size_t workspace = state.plan.workspace(context.pool->threads());
  Prepared prepared = kernels::prepared(std::move(state), workspace);
  const int operands[] = {args.index(1), args.index(3)};
  prepared.weights = context.pack(form, operands);
  return prepared;
}

void run(KernelCall& call) noexcept {
  const State& state = state_of<State>(call);
  const EpilogueOp bias{.step = {EpilogueKind::kAddChannel}, .tensor = floats_or_null(call, state.bias)};
  state.plan.run(call.in[0].as<const float>(), call.weights, call.out[0].as<float>(), &bias, state.bias >= 0 ? 1 : 0,
                 call.workspace, *call.pool);
}

template <Isa I>
struct IsaKernels {
  template <class Op>
  static constexpr KernelDef make_kernel() {
    return {.name = kernel_name<Op, I>(),
            .op = &kOpSchema<Op>,
            .capability = I,
            .types = {.in = {{{1, DType::kInt8}}}},
            .fits = fits,
            .prepare = prepare<Op>,
            .run = run};
  }
  static constexpr std::array<KernelDef, 2> kKernels = {make_kernel<WeightOnlyLinear>(), make_kernel<LlmInt8Linear>()};
};

constexpr auto kKernels = kernels_of_each_isa<IsaKernels>();

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = kernel_table<kKernels>();

}  // namespace coracle::internal::cpu::kernels::weight_only_linear
