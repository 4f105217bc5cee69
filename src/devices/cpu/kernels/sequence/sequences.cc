// SPDX-License-Identifier: Apache-2.0
#include "ops/sequence/sequences.h"

#include <cmath>
#include <vector>

#include "devices/cpu/gemm_plan.h"
#include "devices/cpu/isa/lines.h"
#include "devices/cpu/kernel_isa.h"
#include "devices/cpu/kernels/kernel_table.h"
#include "ops/sequence/row_conv.h"
#include "ops/sequence/sequence_conv.h"
#include "ops/sequence/sequence_pool.h"

/// Convolutions along sequences and pooling of whole ones. A sequence is an image of one row.
namespace coracle::internal::cpu::kernels::sequences {
namespace {

/// Where the sequences of operand 0 begin, and its last one ends.
std::vector<int64_t> offsets_of(const ArgFacts& args) {
  const Shape& x = args.shape(0);
  std::vector<int64_t> offsets;
  if (x.rank() == 3) {
    for (int64_t b = 0; b <= x[0]; ++b) offsets.push_back(b * x[1]);
    return offsets;
  }
  offsets = known_offsets(args.in(0));
  if (offsets.empty()) offsets = {0, x[0]};
  return offsets;
}

bool fit_rows(const std::vector<int64_t>& offsets, int64_t rows) {
  return offsets.front() == 0 && offsets.back() == rows && std::is_sorted(offsets.begin(), offsets.end());
}

// ---- sequence_conv

struct ConvState {
  std::vector<GemmPlan> plans;  ///< one for each sequence that has rows
  std::vector<int64_t> first;   ///< its first row
  std::vector<int32_t> taps;
  std::vector<int32_t> zero_taps;
  int64_t width = 0;
  int64_t columns = 0;
  bool packs = false;
};

RejectionReason fits_conv(const void* op_attributes, const ArgFacts& args) {
  if (static_cast<const SequenceConv*>(op_attributes)->padding_trainable) return "rows of padding are an operand";
  if (args.out().shape.count() == 0 || args.shape(0).count() == 0) return "no elements";
  if (args.in(2).value == nullptr) return "the filter is not constant";
  return fit_rows(offsets_of(args), args.shape(0)[0]) ? nullptr : "the sequences do not fit the rows";
}

Prepared prepare_conv(const void* op_attributes, const ArgFacts& args, PrepareContext& context) {
  const auto& op = *static_cast<const SequenceConv*>(op_attributes);
  const GemmFunctions& gemm = gemm_table(kernel_isa(args.kernel()));
  const std::vector<int64_t> offsets = offsets_of(args);
  ConvState s;
  s.width = args.shape(0)[1];
  s.columns = args.shape(2)[1];
  for (int t = 0; t < op.context_length; ++t) s.taps.push_back(op.context_start + t);
  s.zero_taps.assign(s.taps.size(), 0);
  const GemmShape shape{op.context_length, s.width, s.columns};
  for (size_t i = 0; i + 1 < offsets.size(); ++i) {
    const int64_t length = offsets[i + 1] - offsets[i];
    if (length == 0) continue;
    GemmPlan& plan = s.plans.emplace_back();
    s.first.push_back(offsets[i]);
    plan.call.shape = shape;
    plan.call.c_stride = s.columns;
    plan.rows = length;
    plan.panels = gemm.panels(s.columns);
    plan.has_image = true;
    plan.zeros.assign(static_cast<size_t>(s.width), 0.0F);
    plan.image.in_h = plan.image.out_h = 1;
    plan.image.in_w = plan.image.out_w = length;
    plan.image.in_channels = s.width;
    plan.image.tap_x = s.taps.data();  // elements stay where they are when their vector is moved
    plan.image.tap_y = s.zero_taps.data();
  }
  const int64_t width = s.width;
  const int64_t columns = s.columns;
  const size_t extra = s.plans.size() * (sizeof(GemmPlan) + static_cast<size_t>(width) * sizeof(float));
  Prepared prepared = kernels::prepared(std::move(s), 0, extra);
  GemmForm form{GemmChoice(kernel_isa(args.kernel()))};
  form.taps = shape.taps;
  form.depth = form.inner = width;
  form.columns = columns;
  form.tap_stride = width * columns;
  form.inner_stride = columns;
  form.column_stride = 1;
  prepared.weights = context.pack(form, args.index(2));
  return prepared;
}

void run_conv(KernelCall& call) noexcept {
  const ConvState& s = state_of<ConvState>(call);
  for (size_t i = 0; i < s.plans.size(); ++i) {
    run_gemm(gemm_table(kernel_isa(*call.kernel)), s.plans[i], call.in[0].as<const float>() + s.first[i] * s.width,
             static_cast<const float*>(call.weights), call.out[0].as<float>() + s.first[i] * s.columns, nullptr, 0,
             *call.pool);
  }
}

// ---- row_conv

struct RowState {
  const LinesFunctions* lines = nullptr;
  std::vector<int64_t> end;       ///< by row: where its sequence ends
  std::vector<int64_t> offsets;   ///< by filter row
  std::vector<int32_t> elements;  ///< 0, 1, 2 ...
  int64_t width = 0;
};

RejectionReason fits_rows(const void*, const ArgFacts& args) {
  const Shape& x = args.shape(0);
  if (x.count() == 0 || args.shape(1).count() == 0) return "no elements";
  return fit_rows(offsets_of(args), x.count() / x.back()) ? nullptr : "the sequences do not fit the rows";
}

Prepared prepare_rows(const void*, const ArgFacts& args, PrepareContext&) {
  const std::vector<int64_t> offsets = offsets_of(args);
  RowState s;
  s.lines = &lines_table(kernel_isa(args.kernel()));
  s.width = args.shape(0).back();
  for (size_t i = 0; i + 1 < offsets.size(); ++i) {
    s.end.insert(s.end.end(), static_cast<size_t>(offsets[i + 1] - offsets[i]), offsets[i + 1]);
  }
  for (int64_t k = 0; k < args.shape(1)[0]; ++k) {
    s.offsets.push_back(k * s.width);
    s.elements.push_back(static_cast<int32_t>(k));
  }
  const size_t extra = (s.end.size() + 2 * s.offsets.size()) * sizeof(int64_t);
  return prepared(std::move(s), 0, extra);
}

void run_rows(KernelCall& call) noexcept {
  const RowState& s = state_of<RowState>(call);
  const auto steps = static_cast<int64_t>(s.offsets.size());
  call.pool->parallel_for(static_cast<int64_t>(s.end.size()), grain_of(s.width * steps),
                          [&](int64_t begin, int64_t end) {
                            WeightedLines p{.offsets = s.offsets.data(), .weights = call.in[1].as<const float>()};
                            p.channels = static_cast<size_t>(s.width);
                            for (int64_t t = begin; t < end; ++t) {
                              p.x = call.in[0].as<const float>() + t * s.width;
                              p.y = call.out[0].as<float>() + t * s.width;
                              p.count = static_cast<size_t>(std::min(steps, s.end[static_cast<size_t>(t)] - t));
                              s.lines->sum_channelwise(p, s.elements.data());
                            }
                          });
}

// ---- sequence_pool

struct PoolState {
  const LinesFunctions* lines = nullptr;
  std::vector<int64_t> offsets;
  int64_t width = 0;
};

/// Those of the input; without any it is one sequence.
std::vector<int64_t> pooled_offsets(const ArgFacts& args) {
  std::vector<int64_t> known = known_offsets(args.in(0));
  return known.empty() ? std::vector<int64_t>{0, args.shape(0)[0]} : known;
}

/// Result 1: where the largest elements are.
constexpr TypeRule kPoolTypes = {.out = {{{1, DType::kInt32}}}};

RejectionReason fits_pool(const void* op_attributes, const ArgFacts& args) {
  const auto& op = *static_cast<const SequencePool*>(op_attributes);
  if (op.pooltype == SequencePooling::kFirst || op.pooltype == SequencePooling::kLast) return "nothing is computed";
  const Shape& x = args.shape(0);
  if (x.count() == 0) return "no elements";
  const bool sequences = args.in(0).lod != nullptr && !args.in(0).lod->empty();
  if (x.rank() == 3 && !sequences) return "one sequence of matrices";
  const std::vector<int64_t> offsets = pooled_offsets(args);
  if (!fit_rows(offsets, x[0])) return "the sequences do not fit the rows";
  return args.out().shape[0] == static_cast<int64_t>(offsets.size()) - 1 ? nullptr : "the sequences are not known";
}

Prepared prepare_pool(const void*, const ArgFacts& args, PrepareContext&) {
  PoolState s;
  s.lines = &lines_table(kernel_isa(args.kernel()));
  s.offsets = pooled_offsets(args);
  s.width = row_count(args.shape(0));
  const size_t extra = s.offsets.size() * sizeof(int64_t);
  return prepared(std::move(s), 0, extra);
}

void run_pool(KernelCall& call) noexcept {
  const PoolState& s = state_of<PoolState>(call);
  const auto& op = call.attributes<SequencePool>();
  auto* places = call.out.size() > 1 ? call.out[1].as<int32_t>() : nullptr;
  const auto count = static_cast<int64_t>(s.offsets.size()) - 1;
  call.pool->parallel_for(count, grain_of(s.width * s.offsets.back() / (count + 1)), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t first = s.offsets[static_cast<size_t>(i)];
      const int64_t length = s.offsets[static_cast<size_t>(i) + 1] - first;
      float* y = call.out[0].as<float>() + i * s.width;
      int32_t* place = places == nullptr ? nullptr : places + i * s.width;
      if (place != nullptr) std::fill_n(place, s.width, 0);
      if (length == 0) {
        std::fill_n(y, s.width, op.pad_value);
        continue;
      }
      PixelBox p{.x = call.in[0].as<const float>() + first * s.width};
      p.row_stride = s.width;
      p.rows = length;
      p.columns = 1;
      p.y = y;
      p.channels = static_cast<size_t>(s.width);
      if (op.pooltype == SequencePooling::kMax) {
        p.begins = true;
        p.places = place;
        p.first_place = static_cast<int32_t>(first);
        p.row_places = 1;
        s.lines->largest(p);
        continue;
      }
      const auto n = static_cast<float>(length);
      s.lines->mean(p, op.pooltype == SequencePooling::kSum    ? 1.0F
                       : op.pooltype == SequencePooling::kSqrt ? std::sqrt(n)
                                                               : n);
    }
  });
}

template <Isa I>
struct IsaKernels {
  static constexpr std::array<KernelDef, 3> kKernels = {KernelDef{.name = kernel_name<SequenceConv, I>(),
                                                                  .op = &kOpSchema<SequenceConv>,
                                                                  .capability = I,
                                                                  .fits = fits_conv,
                                                                  .prepare = prepare_conv,
                                                                  .run = run_conv},
                                                        KernelDef{.name = kernel_name<RowConv, I>(),
                                                                  .op = &kOpSchema<RowConv>,
                                                                  .capability = I,
                                                                  .fits = fits_rows,
                                                                  .prepare = prepare_rows,
                                                                  .run = run_rows},
                                                        KernelDef{.name = kernel_name<SequencePool, I>(),
                                                                  .op = &kOpSchema<SequencePool>,
                                                                  .capability = I,
                                                                  .types = kPoolTypes,
                                                                  .fits = fits_pool,
                                                                  .prepare = prepare_pool,
                                                                  .run = run_pool}};
};

constexpr auto kKernels = kernels_of_each_isa<IsaKernels>();

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = kernel_table<kKernels>();

}  // namespace coracle::internal::cpu::kernels::sequences
