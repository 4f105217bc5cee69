// SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise/cast.h"

#include "devices/cpu/isa/convert.h"
#include "devices/cpu/kernel_isa.h"
#include "devices/cpu/kernels/elementwise/numbers.h"

namespace coracle::internal::cpu::kernels::cast {
namespace {

struct State {
  const ConvertFunctions* functions = nullptr;
  NumberType from = NumberType::kFloat32;
  NumberType to = NumberType::kFloat32;
  int64_t from_size = 4;
  int64_t to_size = 4;
  int64_t count = 0;
};

Prepared prepare(const void*, const ArgFacts& args, PrepareContext&) {
  State s;
  s.functions = &convert_table(kernel_isa(args.kernel()));
  s.from = *number_type(args.in(0).dtype);
  s.to = *number_type(args.out().dtype);
  s.from_size = static_cast<int64_t>(size_of(args.in(0).dtype));
  s.to_size = static_cast<int64_t>(size_of(args.out().dtype));
  s.count = args.shape(0).count();
  return prepared(s);
}

void run(KernelCall& call) noexcept {
  const State& s = state_of<State>(call);
  const char* x = call.in[0].as<const char>();
  char* y = call.out[0].as<char>();
  call.pool->parallel_for(s.count, kGrain, [&](int64_t begin, int64_t end) {
    s.functions->convert(s.from, s.to, x + begin * s.from_size, y + begin * s.to_size,
                         static_cast<size_t>(end - begin));
  });
}

template <Isa kIsa>
struct IsaKernels {
  static constexpr std::array<KernelDef, 1> kKernels = {KernelDef{.name = kernel_name<Cast, kIsa>(),
                                                                  .op = &kOpSchema<Cast>,
                                                                  .capability = kIsa,
                                                                  .layout = LayoutRule::kSame,
                                                                  .types = kRealRule,
                                                                  .prepare = prepare,
                                                                  .run = run}};
};

constexpr auto kKernels = kernels_of_each_isa<IsaKernels>();

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = kernel_table<kKernels>();

}  // namespace coracle::internal::cpu::kernels::cast
