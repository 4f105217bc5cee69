// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/integer_plan.h"

#include <algorithm>
#include <cstring>

namespace coracle::cpu {
namespace {

/// Products below which a part is not worth a thread.
constexpr int64_t kGrain = 1 << 20;

#if defined(__x86_64__) && !defined(CORACLE_WITHOUT_AVX512)
bool multiplies_bytes() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512vnni") != 0;
}
#endif

/// Of `columns` columns, each of `groups` groups of 4 bytes, `step` bytes apart.
IntegerReach reach_of(const std::byte* bytes, int64_t columns, int64_t groups, int64_t step) {
  int32_t pairs = 0;
  int32_t fours = 0;
  for (int64_t c = 0; c < columns; ++c) {
    for (int64_t half = 0; half < 2; ++half) {
      int32_t before = 0;
      for (int64_t g = 0; g < groups; ++g) {
        int8_t w[2];
        std::memcpy(w, bytes + g * step + c * 4 + half * 2, sizeof(w));
        const int32_t pair = std::abs(int32_t{w[0]}) + std::abs(int32_t{w[1]});
        pairs = std::max(pairs, pair);
        fours = std::max(fours, g % 2 == 0 ? pair : before + pair);
        before = pair;
      }
    }
  }
  const auto reach = [](int32_t sum) { return std::min(255, 32767 / std::max(sum, 1)); };
  return {reach(pairs), reach(fours)};
}

}  // namespace

const IntegerGemmFunctions& machine_integer_gemm(Isa isa) {
#if defined(__x86_64__) && !defined(CORACLE_WITHOUT_AVX512)
  static const bool kBytes = multiplies_bytes();
  if (isa == Isa::kAvx512 && kBytes) return vnni::integer_gemm;
#endif
  return integer_gemm_table(isa);
}

size_t IntegerGemmForm::bytes() const {
  const int64_t per_group = 4 / element_bytes;
  const int64_t groups = (taps * depth + per_group - 1) / per_group;
  const Size panels = element_bytes == 1 ? (columns + 2 * lanes - 1) / (2 * lanes) : 0;
  return bytes_of<int32_t>(Size((columns + lanes - 1) / lanes * lanes) * (Size(1) + groups)) +
         bytes_of<IntegerReach>(panels);
}

void IntegerGemmForm::pack(std::span<const Tensor* const> constants, std::byte* to, ThreadPool& pool) const {
  const int8_t* data = constants[0]->data<int8_t>();
  const int64_t per_group = 4 / element_bytes;
  const int64_t terms = taps * depth;
  const int64_t groups = (terms + per_group - 1) / per_group;
  const int64_t whole = 2 * lanes;
  pool.parallel_for((columns + whole - 1) / whole, 1, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      const int64_t first = p * whole;
      const int64_t used = std::min(whole, columns - first);
      const int64_t width = used > lanes ? whole : lanes;
      std::byte* const panel = to + first * 4 * (1 + groups);
      for (int64_t c = 0; c < used; ++c) {
        uint32_t sum = 0;
        const int8_t* from = data + (first + c) * column_stride;
        std::byte* group = panel + (width + c) * 4;
        int64_t inner = 0;  // number of the tap
        int64_t place = 0;  // in the group
        for (int64_t k = 0; k < terms; ++k) {
          const int32_t w{from[inner * inner_stride]};
          std::byte* const at = group + place * element_bytes;
          if (++inner == depth) {
            inner = 0;
            from += tap_stride;
          }
          if (++place == per_group) {
            place = 0;
            group += width * 4;
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
        // Operand 0 comes with 128 added, or with another number in its place.
        const uint32_t initial = element_bytes == 1 ? uint32_t{0} - 128U * sum : 0U;
        std::memcpy(panel + c * 4, &initial, sizeof(initial));
      }
      if (element_bytes == 1) {
        const IntegerReach reach = reach_of(panel + width * 4, used, groups, width * 4);
        std::byte* const all = to + (columns + lanes - 1) / lanes * lanes * 4 * (1 + groups);
        std::memcpy(all + p * static_cast<int64_t>(sizeof(reach)), &reach, sizeof(reach));
      }
    }
  });
}

void IntegerGemmPlan::split(int threads) {
  panels = functions->panels(call.columns);
  const int64_t products = rows * call.taps * call.depth * call.columns;
  const int64_t tiles = (rows + functions->tile_rows - 1) / functions->tile_rows;
  slots = std::clamp<int64_t>(products / kGrain, 1, threads);
  by_panels = tiles < 2 * slots && panels > tiles;
  slots = std::min(slots, by_panels ? panels : tiles);
  scratch_bytes = functions->scratch_bytes(call.taps * call.depth);
}

void IntegerGemmPlan::run(const KernelCall& kernel_call, const IntegerResult& result) const noexcept {
  IntegerGemmCall whole = call;
  whole.a = kernel_call.in[0].as<const int8_t>();
  whole.packed = kernel_call.weights;
  whole.result = result;
  if (has_image) whole.image = &image;
  auto* const scratch = static_cast<char*>(kernel_call.workspace);
  kernel_call.pool->parallel_for(slots, 1, [&](int64_t begin, int64_t end) {
    for (int64_t slot = begin; slot < end; ++slot) {
      IntegerGemmCall part = whole;
      part.scratch = scratch + slot * scratch_bytes;
      const int64_t tiles = (rows + functions->tile_rows - 1) / functions->tile_rows;
      const auto share = [&](int64_t of, int64_t i) { return of * i / slots; };
      if (by_panels) {
        functions->run(part, 0, rows, share(panels, slot), share(panels, slot + 1));
      } else {
        functions->run(part, share(tiles, slot) * functions->tile_rows,
                       std::min(rows, share(tiles, slot + 1) * functions->tile_rows), 0, panels);
      }
    }
  });
}

Misfit integer_misfit(const IntegerProduct& op, const ArgFacts& args, const Shape& product, int64_t channels,
                      int64_t terms) {
  if (args.in(1).value == nullptr) return "the weights are not constant";
  const Tensor& weights = *args.in(1).value;
  const auto bytes = static_cast<size_t>(weights.count());
  if (bytes > 0 && std::memchr(weights.data<int8_t>(), 0x80, bytes) != nullptr) return "weights of -128";
  if (args.out().shape.count() == 0 || args.in(0).shape.count() == 0) return "no elements";
  if (terms > IntegerProduct::kMostProducts) return "sums of more than 32 bits";
  return epilogue_misfit(op, args, 2, product, channels);
}

IntegerResult integer_result(const IntegerProduct& op, const EpilogueProgram& epilogue, const KernelCall& call,
                             EpilogueOp* ops, int64_t channels) noexcept {
  epilogue.bind(call, 2, ops);
  return {.data = call.out[0].data,
          .stride = channels,
          .epilogue = ops,
          .epilogue_size = epilogue.count(),
          .scale = op.result_scale,
          .round_half_away = op.round_type == QuantizationRounding::kHalfAwayFromZero};
}

}  // namespace coracle::cpu
