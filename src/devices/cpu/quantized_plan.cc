// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/quantized_plan.h"

#include <algorithm>
#include <cstring>

#include "devices/cpu/bands.h"
#include "devices/cpu/isa/quantized_tile_gemm.h"
#include "devices/cpu/processor.h"
#include "devices/cpu/product_work.h"

namespace coracle::internal::cpu {
namespace {

/// Products below which a part is not worth a thread.
constexpr int64_t kQuantizedGrain = 1 << 20;
/// What finishing a sum takes, in products.
constexpr int64_t kFinishing = 96;
/// Bytes of padded images below which they are not.
constexpr int64_t kPaddingGrain = 1 << 16;

/// Of `columns` columns, each of `groups` groups of 4 bytes, `step` bytes apart. Numbers from 0 on reach farthest where
/// they meet weights of one sign and the others are 0.
QuantizedReach reach_of(const std::byte* bytes, int64_t columns, int64_t groups, int64_t step) {
  int32_t pairs = 0;
  int32_t fours = 0;
  for (int64_t c = 0; c < columns; ++c) {
    for (int64_t half = 0; half < 2; ++half) {
      int32_t above = 0;
      int32_t below = 0;
      for (int64_t g = 0; g < groups; ++g) {
        int8_t w[2];
        std::memcpy(w, bytes + g * step + c * 4 + half * 2, sizeof(w));
        const int32_t positive = std::max<int32_t>(w[0], 0) + std::max<int32_t>(w[1], 0);
        const int32_t negative = std::max(-w[0], 0) + std::max(-w[1], 0);
        above = positive + (g % 2 == 0 ? 0 : above);
        below = negative + (g % 2 == 0 ? 0 : below);
        pairs = std::max({pairs, positive, negative});
        fours = std::max({fours, above, below});
      }
    }
  }
  const auto reach = [](int32_t sum) { return std::min(255, 32767 / std::max(sum, 1)); };
  return {reach(pairs), reach(fours)};
}

/// Groups of so many bytes of a column.
template <int64_t kGroupBytes>
int64_t groups_of(const QuantizedGemmForm& form) {
  const int64_t per_group = kGroupBytes / form.element_bytes;
  return (form.numbers() + per_group - 1) / per_group;
}

template <int64_t kGroupBytes>
size_t matrix_bytes_of(const QuantizedGemmForm& form) {
  const int64_t lanes = form.lanes;
  const int64_t all = form.blocks * form.columns;
  const bool has_reaches = form.element_bytes == 1 && kGroupBytes == 4;
  const Size panels = has_reaches ? (all + 2 * lanes - 1) / (2 * lanes) : 0;
  return bytes_of<int32_t>(Size((all + lanes - 1) / lanes * lanes) *
                           (Size(1) + kGroupBytes / 4 * groups_of<kGroupBytes>(form))) +
         bytes_of<QuantizedReach>(panels);
}

/// The panel that begins with column `first` of a matrix.
template <int64_t kGroupBytes>
void pack_panel_of(const QuantizedGemmForm& f, const int8_t* data, int64_t first, std::byte* matrix) {
  const int64_t element_bytes = f.element_bytes;
  const int64_t lanes = f.lanes;
  const int64_t per_group = kGroupBytes / element_bytes;
  const int64_t groups = groups_of<kGroupBytes>(f);
  const int64_t all = f.blocks * f.columns;
  const int64_t used = std::min(2 * lanes, all - first);
  const int64_t width = used > lanes ? 2 * lanes : lanes;
  const int64_t inner = f.inner_columns == 0 ? f.columns : f.inner_columns;
  const int64_t column_bytes = 4 + groups * kGroupBytes;
  std::byte* const panel = matrix + first * column_bytes;
  std::byte* const numbers = panel + width * 4;
  if (f.blocks > 1 || f.joined_taps != 0) std::fill_n(panel, width * column_bytes, std::byte{0});
  for (int64_t c = 0; c < used; ++c) {
    uint32_t sum = 0;
    const int64_t block = (first + c) / f.columns;
    const int64_t column = (first + c) % f.columns;
    const int8_t* from =
        data + block * f.block_stride + column / inner * f.outer_stride + column % inner * f.column_stride;
    for (int64_t tap = 0; tap < f.taps; ++tap, from += f.tap_stride) {
      const int64_t k = f.joined_taps == 0 ? (tap * f.blocks + block) * f.depth
                                           : tap / f.joined_taps * f.joined_depth + tap % f.joined_taps * f.depth;
      std::byte* group = numbers + (width * (k / per_group) + c) * kGroupBytes;
      int64_t place = k % per_group;
      for (int64_t i = 0; i < f.depth; ++i) {
        const int32_t w{from[i * f.inner_stride]};
        std::byte* const at = group + place * element_bytes;
        if (++place == per_group) {
          place = 0;
          group += width * kGroupBytes;
        }
        sum += static_cast<uint32_t>(w);
        if (element_bytes == 1) {
          const auto byte = static_cast<int8_t>(w);
          std::memcpy(at, &byte, sizeof(byte));
        } else {
          const auto wide = static_cast<int16_t>(w);
          std::memcpy(at, &wide, sizeof(wide));
        }
      }
    }
    // Operand 0 comes with 128 added, or with another number in its place.
    const uint32_t initial = element_bytes == 1 ? uint32_t{0} - 128U * sum : 0U;
    std::memcpy(panel + c * 4, &initial, sizeof(initial));
  }
  if (kGroupBytes == 4 && element_bytes == 1) {
    const QuantizedReach reach = reach_of(numbers, used, groups, width * 4);
    std::byte* const reaches = matrix + (all + lanes - 1) / lanes * lanes * column_bytes;
    std::memcpy(reaches + first / (2 * lanes) * static_cast<int64_t>(sizeof(reach)), &reach, sizeof(reach));
  }
}

template <int64_t kGroupBytes>
void pack_matrices(const QuantizedGemmForm& f, const Tensor& constant, std::byte* to, ThreadPool& pool) {
  const int8_t* data = constant.data<int8_t>();
  const int64_t panels = (f.blocks * f.columns + 2 * f.lanes - 1) / (2 * f.lanes);
  const auto step = static_cast<int64_t>(matrix_bytes_of<kGroupBytes>(f));
  pool.parallel_for(f.matrices * panels, 1, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      const int64_t matrix = p / panels;
      pack_panel_of<kGroupBytes>(f, data + matrix * f.matrix_stride, p % panels * 2 * f.lanes, to + matrix * step);
    }
  });
}

RejectionReason sums_rejection(const IntegerProduct& op, const ArgFacts& args, const Shape& product, int64_t channels,
                               int64_t terms, int64_t most_terms) {
  if (args.out().shape.count() == 0 || args.in(0).shape.count() == 0) return "no elements";
  if (terms > most_terms) return "sums of more than 32 bits";
  return epilogue_rejection(op, args, 2, product, channels);
}

}  // namespace

const QuantizedGemmFunctions& machine_quantized_gemm(Isa isa) {
#if defined(__x86_64__) && !defined(CORACLE_WITHOUT_AVX512)
  if (isa == Isa::kAvx512 && processor().has(Capability::kAmx)) return amx::quantized_tile_gemm;
  if (isa == Isa::kAvx512 && processor().has(Capability::kAvx512Vnni)) return avx512_vnni::quantized_gemm;
#endif
#if defined(__x86_64__) && !defined(CORACLE_WITHOUT_AVX2)
  if (isa == Isa::kAvx2 && processor().has(Capability::kAvxVnni)) return avx_vnni::quantized_gemm;
#endif
#if defined(__aarch64__) && !defined(CORACLE_WITHOUT_NEON)
  if (isa == Isa::kNeon && processor().has(Capability::kNeonI8mm)) return neon_i8mm::quantized_gemm;
  if (isa == Isa::kNeon && processor().has(Capability::kNeonDotProducts)) return neon_dotprod::quantized_gemm;
#endif
  return quantized_gemm_table(isa);
}

const QuantizedGemmFunctions& any_quantized_gemm(Isa isa) {
#if defined(__x86_64__) && !defined(CORACLE_WITHOUT_AVX2)
  if (isa == Isa::kAvx2) return pairs::quantized_gemm;
#endif
  return machine_quantized_gemm(isa);
}

size_t QuantizedGemmForm::matrix_bytes() const { return matrix_bytes_of<4>(*this); }
size_t QuantizedGemmForm::bytes() const { return bytes_of<char>(Size(matrices) * matrix_bytes()); }
void QuantizedGemmForm::pack(std::span<const Tensor* const> constants, std::byte* to, ThreadPool& pool) const {
  pack_matrices<4>(*this, *constants[0], to, pool);
}

#if defined(__aarch64__)
size_t QuantizedPairsForm::matrix_bytes() const { return matrix_bytes_of<8>(*this); }
size_t QuantizedPairsForm::bytes() const { return bytes_of<char>(Size(matrices) * matrix_bytes()); }
void QuantizedPairsForm::pack(std::span<const Tensor* const> constants, std::byte* to, ThreadPool& pool) const {
  pack_matrices<8>(*this, *constants[0], to, pool);
}
#endif

namespace {

/// Parts of panels with which the largest of so many shares of tiles is clearly smaller. Each part prepares its rows.
int64_t parts_of_panels(int64_t tiles, int64_t panels, int64_t shares) {
  constexpr int64_t kFewShares = 4;  // are nearly equal
  constexpr int64_t kMostParts = 4;
  constexpr double kClearlyLess = 0.88;
  const auto most = [=](int64_t parts) {
    const int64_t share = (tiles * parts + shares - 1) / shares;
    return static_cast<double>(share) / static_cast<double>(parts);
  };
  int64_t best = 1;
  for (int64_t parts = 2; shares >= kFewShares && parts <= std::min(kMostParts, panels / 2); ++parts) {
    if (most(parts) < most(best) * kClearlyLess) best = parts;
  }
  return best;
}

}  // namespace

void QuantizedGemmPlan::split(int threads) {
  panels = functions->panels(call.columns);
  const auto count = static_cast<int64_t>(parts.size());
  const int64_t sums = std::max(count * rows, kWaitingRows) * whole_vectors(call.columns);
  const int64_t products = sums * (call.taps * call.depth + kFinishing);
  const int64_t tiles = (rows + functions->tile_rows - 1) / functions->tile_rows;
  slots = std::clamp<int64_t>(products / kQuantizedGrain, 1, threads);
  by_panels = count == 1 && tiles < 2 * slots && panels > tiles;
  slots = std::min(slots, by_panels ? panels : count * tiles);
  panel_parts = by_panels || count > 1 ? 1 : parts_of_panels(tiles, panels, slots);
  const int64_t share_tiles = std::min(tiles, (tiles * panel_parts + slots - 1) / slots);
  const int64_t share = by_panels ? rows : share_tiles * functions->tile_rows;
  const int64_t depth = tap_from.empty() ? call.taps * call.depth : call.taps * ((call.depth + 3) / 4 * 4);
  call.block_rows = functions->block_rows(share, depth, call.columns);
  scratch_bytes = functions->scratch_bytes(depth, call.block_rows);
}

size_t QuantizedGemmPlan::bytes() const {
  return sizeof(*this) + (tap_y.size() * 2 + tap_from.size()) * sizeof(int32_t) +
         parts.size() * sizeof(QuantizedGemmPart);
}

void QuantizedGemmPlan::run_part(QuantizedGemmCall of_part, const QuantizedGemmPart& part, int64_t tile_begin,
                                 int64_t tile_end, int64_t panel_begin, int64_t panel_end) const noexcept {
  QuantizedResult& result = of_part.result;
  EpilogueOp ops[kMaxEpilogueOps];
  std::copy_n(result.epilogue, result.epilogue_size, ops);
  for (EpilogueOp& op : std::span(ops, static_cast<size_t>(result.epilogue_size))) {
    if (op.integers != nullptr) op.integers += part.result;
    if (op.tensor == nullptr) continue;
    const bool whole = op.step.kind == EpilogueKind::kAddTensor || op.step.kind == EpilogueKind::kMultiplyTensor;
    op.tensor += whole ? part.result : part.channel;
  }
  result.epilogue = ops;
  const int64_t element = result.scale == 0 ? sizeof(float) : sizeof(int8_t);
  result.data = static_cast<char*>(result.data) + part.result * element;
  of_part.a += part.a;
  of_part.packed = static_cast<const char*>(of_part.packed) + part.matrix * static_cast<int64_t>(matrix_bytes);
  const int64_t tile_rows = functions->tile_rows;
  functions->run(of_part, tile_begin * tile_rows, std::min(rows, tile_end * tile_rows), panel_begin, panel_end);
}

void QuantizedGemmPlan::run(const int8_t* a, const void* packed, void* scratch, const QuantizedResult& result,
                            ThreadPool& pool) const noexcept {
  QuantizedGemmCall whole = call;
  whole.a = a;
  whole.packed = packed;
  whole.result = result;
  if (has_image) whole.image = &image;
  if (!tap_from.empty()) {
    whole.padded = &padded;
    auto* const to = static_cast<int8_t*>(scratch) + slots * scratch_bytes;
    const int64_t line = padded.width * padded.channels;
    pool.parallel_for(padded.batch * padded.height, kPaddingGrain / line + 1,
                      [&](int64_t begin, int64_t end) { functions->pad(padded, a, to, begin, end); });
    whole.a = to;
    if (functions->look_at_padded != nullptr) functions->look_at_padded(whole);
  }
  const int64_t tiles = (rows + functions->tile_rows - 1) / functions->tile_rows;
  const int64_t shares = by_panels ? panels : panel_parts * tiles * static_cast<int64_t>(parts.size());
  for_bands(pool, shares, slots, [&](int64_t slot, int64_t begin, int64_t end) {
    QuantizedGemmCall own = whole;
    own.scratch = static_cast<char*>(scratch) + slot * scratch_bytes;
    if (by_panels) return run_part(own, parts[0], 0, tiles, begin, end);
    while (begin < end) {
      const int64_t turn = begin / tiles;  // through all tiles: of a part, or of a part's panels
      const int64_t first = begin - turn * tiles;
      const int64_t count = std::min(tiles - first, end - begin);
      const int64_t of_panels = turn % panel_parts;
      run_part(own, parts[static_cast<size_t>(turn / panel_parts)], first, first + count,
               panels * of_panels / panel_parts, panels * (of_panels + 1) / panel_parts);
      begin += count;
    }
  });
}

[[gnu::cold]] Prepared prepared_product(QuantizedGemmPlan& plan, QuantizedGemmForm form, const ArgFacts& args,
                                        PrepareContext& context) {
  plan.split(context.pool == nullptr ? 1 : context.pool->threads());
  form.columns = plan.call.columns / form.blocks;
  Prepared prepared;
  with_form_for(*plan.functions, form, [&](const auto& packed) {
    plan.matrix_bytes = packed.matrix_bytes();
    prepared.weights = context.pack(packed, args.index(1));
  });
  prepared.workspace = bytes_of<char>(Size(plan.slots) * plan.scratch_bytes + plan.padded_bytes());
  prepared.state_bytes = plan.bytes();
  return prepared;
}

RejectionReason computed_quantized_rejection(const IntegerProduct& op, const ArgFacts& args, const Shape& product,
                                             int64_t channels, int64_t terms) {
  return sums_rejection(op, args, product, channels, terms, IntegerProduct::kMostComputedProducts);
}

RejectionReason quantized_rejection(const IntegerProduct& op, const ArgFacts& args, const Shape& product,
                                    int64_t channels, int64_t terms) {
  if (args.in(1).value == nullptr) return "the weights are not constant";
  const Tensor& weights = *args.in(1).value;
  const auto bytes = static_cast<size_t>(weights.count());
  if (bytes > 0 && std::memchr(weights.data<int8_t>(), 0x80, bytes) != nullptr) return "weights of -128";
  return sums_rejection(op, args, product, channels, terms, IntegerProduct::kMostProducts);
}

QuantizedResult quantized_result(const IntegerProduct& op, const EpilogueProgram& epilogue, const KernelCall& call,
                                 EpilogueOp* ops, int64_t stride) noexcept {
  epilogue.bind(call, 2, ops);
  return {.data = call.out[0].data,
          .stride = stride,
          .epilogue = ops,
          .epilogue_size = epilogue.count(),
          .scale = op.result_scale,
          .round_half_away = op.round_type == QuantizationRounding::kHalfAwayFromZero};
}

}  // namespace coracle::internal::cpu
