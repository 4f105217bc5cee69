// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/compress.h"

#include "devices/cpu/kernel_isa.h"
#include "devices/cpu/kernels/elementwise/numbers.h"
#include "ops/index/masked_select.h"
#include "ops/index/nonzero.h"

/// What is not zero: how many there are is counted first, part by part, then each part writes behind the one before.
namespace coracle::internal::cpu::kernels::compress {
namespace {

constexpr int64_t kWord = 64;            ///< elements
constexpr int64_t kPartWords = 1 << 10;  ///< of a part

int64_t ceil_divide(int64_t a, int64_t b) { return (a + b - 1) / b; }

struct State {
  const CompressFunctions* functions = nullptr;
  NumberType type = NumberType::kBool;  ///< of what is asked
  int64_t count = 0;
  int64_t words = 0;
  int64_t parts = 0;
  size_t size = 1;   ///< bytes of an element of what is asked
  size_t taken = 8;  ///< and of what is taken

  int64_t words_of(int64_t part) const { return std::min(kPartWords, words - part * kPartWords); }
};

State state_for(const ArgFacts& args, int port) {
  const Fact& asked = args.in(port);
  State s;
  s.functions = &compress_table(kernel_isa(args.kernel()));
  s.type = *number_type(asked.dtype);
  s.count = asked.shape.count();
  s.words = ceil_divide(s.count, kWord);
  s.parts = ceil_divide(s.words, kPartWords);
  s.size = size_of(asked.dtype);
  return s;
}

constexpr TypeRule kNonzeroTypes = {.operands = kRealTypes - kHalfTypes, .results = DType::kInt64};
constexpr TypeRule kMaskedSelectTypes = {.operands = kRealTypes, .results = kRealTypes, .in = {{{1, DType::kBool}}}};

RejectionReason fits_masked_select(const void*, const ArgFacts& args) {
  return args.shape(0) == args.shape(1) ? nullptr : "the mask has another shape";
}

/// The masks of all parts, and behind them where each part begins.
Prepared with_workspace(const State& s) {
  return prepared(s, static_cast<size_t>(s.words + s.parts + 1) * sizeof(uint64_t));
}

Prepared prepare_nonzero(const void*, const ArgFacts& args, PrepareContext&) {
  return with_workspace(state_for(args, 0));
}

Prepared prepare_masked_select(const void*, const ArgFacts& args, PrepareContext&) {
  State s = state_for(args, 1);
  s.taken = size_of(args.in(0).dtype);
  return with_workspace(s);
}

struct Masks {
  uint64_t* words = nullptr;
  int64_t* begins = nullptr;  ///< of each part in the result; behind the last part: how many there are
};

Masks make_masks(const KernelCall& call, const State& s, const char* asked) {
  Masks m{static_cast<uint64_t*>(call.workspace), reinterpret_cast<int64_t*>(call.workspace) + s.words};
  call.pool->parallel_for(s.parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t part = begin; part < end; ++part) {
      const int64_t first = part * kPartWords * kWord;
      const int64_t size = std::min(kPartWords * kWord, s.count - first);
      m.begins[part + 1] = s.functions->mask(s.type, asked + static_cast<size_t>(first) * s.size,
                                             static_cast<size_t>(size), m.words + part * kPartWords);
    }
  });
  m.begins[0] = 0;
  for (int64_t part = 0; part < s.parts; ++part) m.begins[part + 1] += m.begins[part];
  return m;
}

/// Positions in [first, ...) as coordinates, in place from the back: position i is at y[i], its coordinates at
/// y[i * rank].
void spread_coordinates(const Shape& shape, int64_t count, int64_t* y) {
  const int rank = shape.rank();
  int64_t size[Shape::kMaxRank];
  for (int d = 0; d < rank; ++d) size[d] = shape[d];
  // Neighbours mostly share all coordinates but the last: divisions are by what changed.
  const int64_t line = size[rank - 1];
  int64_t line_begin = -1;
  int64_t coordinates[Shape::kMaxRank] = {};
  for (int64_t i = count; i-- > 0;) {
    const int64_t at = y[i];
    if (line_begin < 0 || at < line_begin || at >= line_begin + line) {
      int64_t rest = at / line;
      line_begin = rest * line;
      for (int d = rank - 2; d >= 0; --d) {
        coordinates[d] = rest % size[d];
        rest /= size[d];
      }
    }
    int64_t* to = y + i * rank;
    to[rank - 1] = at - line_begin;
    for (int d = 0; d + 1 < rank; ++d) to[d] = coordinates[d];
  }
}

void run_nonzero(KernelCall& call) noexcept {
  const State& s = state_of<State>(call);
  const Shape& shape = call.in[0].fact->shape;
  const Masks m = make_masks(call, s, call.in[0].as<const char>());
  if (call.over()) return;  // not all is counted
  auto* y = static_cast<int64_t*>(call.results->make(call, 0, Shape{m.begins[s.parts], shape.rank()}));
  if (y == nullptr || shape.rank() == 0) return;
  call.pool->parallel_for(s.parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t part = begin; part < end; ++part) {
      int64_t* to = y + m.begins[part] * shape.rank();
      s.functions->positions(m.words + part * kPartWords, static_cast<size_t>(s.words_of(part)),
                             part * kPartWords * kWord, to);
      if (shape.rank() > 1) spread_coordinates(shape, m.begins[part + 1] - m.begins[part], to);
    }
  });
}

void run_masked_select(KernelCall& call) noexcept {
  const State& s = state_of<State>(call);
  const char* x = call.in[0].as<const char>();
  const Masks m = make_masks(call, s, call.in[1].as<const char>());
  if (call.over()) return;
  auto* y = static_cast<char*>(call.results->make(call, 0, Shape{m.begins[s.parts]}));
  if (y == nullptr) return;
  call.pool->parallel_for(s.parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t part = begin; part < end; ++part) {
      s.functions->elements(m.words + part * kPartWords, static_cast<size_t>(s.words_of(part)),
                            x + static_cast<size_t>(part * kPartWords * kWord) * s.taken, s.taken,
                            y + static_cast<size_t>(m.begins[part]) * s.taken);
    }
  });
}

template <class Op, Isa kIsa>
constexpr KernelDef make_kernel(const TypeRule& types, decltype(KernelDef::fits) fits,
                                decltype(KernelDef::prepare) prepare, decltype(KernelDef::run) run) {
  return {.name = kernel_name<Op, kIsa>(),
          .op = &kOpSchema<Op>,
          .capability = kIsa,
          .types = types,
          .sized = true,
          .fits = fits,
          .prepare = prepare,
          .run = run};
}

template <Isa kIsa>
struct IsaKernels {
  static constexpr std::array<KernelDef, 2> kKernels = {
      make_kernel<Nonzero, kIsa>(kNonzeroTypes, nullptr, prepare_nonzero, run_nonzero),
      make_kernel<MaskedSelect, kIsa>(kMaskedSelectTypes, fits_masked_select, prepare_masked_select, run_masked_select),
  };
};

constexpr auto kKernels = kernels_of_each_isa<IsaKernels>();

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = kernel_table<kKernels>();

}  // namespace coracle::internal::cpu::kernels::compress
