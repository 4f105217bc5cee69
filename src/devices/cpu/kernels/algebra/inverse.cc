// SPDX-License-Identifier: Apache-2.0
#include "ops/algebra/inverse.h"

#include "devices/cpu/bands.h"
#include "devices/cpu/kernels/kernel_table.h"

/// Inverses of many matrices at once, each on one thread, in double as the reference computes them.
namespace coracle::internal::cpu::kernels::inverse {
namespace {

struct State {
  int64_t count = 0;
  int64_t n = 0;
  int64_t bands = 1;      ///< parts of the matrices that run at once
  size_t band_bytes = 0;  ///< workspace of each: factors, inverse, order of rows
};

RejectionReason fits(const void*, const ArgFacts& args) { return args.shape(0).count() == 0 ? "no elements" : nullptr; }

Prepared prepare(const void*, const ArgFacts& args, PrepareContext& context) {
  const Shape& x = args.shape(0);
  State s;
  s.n = x.back();
  s.count = x.count(0, x.rank() - 2);
  s.bands = std::clamp<int64_t>(s.count, 1, context.pool->threads());
  s.band_bytes = static_cast<size_t>(s.n * (2 * s.n + 1)) * sizeof(double);
  return prepared(s, static_cast<size_t>(s.bands) * s.band_bytes);
}

void run(KernelCall& call) noexcept {
  const State& s = state_of<State>(call);
  const int64_t size = s.n * s.n;
  const auto* x = call.in[0].as<const float>();
  auto* y = call.out[0].as<float>();
  for_bands(*call.pool, s.count, s.bands, [&](int64_t band, int64_t begin, int64_t end) {
    auto* factors =
        reinterpret_cast<double*>(static_cast<char*>(call.workspace) + static_cast<size_t>(band) * s.band_bytes);
    double* inverse = factors + size;
    auto* rows = reinterpret_cast<int64_t*>(inverse + size);
    for (int64_t i = begin; i < end; ++i) {
      std::copy(x + i * size, x + (i + 1) * size, factors);
      factor_lu(*call.context, factors, s.n, rows);
      invert_lu(*call.context, factors, s.n, inverse);
      for (int64_t r = 0; r < s.n; ++r) {
        float* to = y + i * size + r * s.n;
        for (int64_t c = 0; c < s.n; ++c) to[rows[c]] = static_cast<float>(inverse[r * s.n + c]);
      }
    }
  });
}

constexpr std::array<KernelDef, 1> kKernels = {KernelDef{.name = kernel_name<Inverse, Isa::kAny>(),
                                                         .op = &kOpSchema<Inverse>,
                                                         .fits = fits,
                                                         .prepare = prepare,
                                                         .run = run}};

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = kernel_table<kKernels>();

}  // namespace coracle::internal::cpu::kernels::inverse
