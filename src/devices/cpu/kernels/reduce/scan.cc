// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/scan.h"

#include "devices/cpu/kernel_isa.h"
#include "devices/cpu/kernels/elementwise/numbers.h"
#include "ops/reduce/cumsum.h"

namespace coracle::internal::cpu::kernels::scan {
namespace {

struct State {
  const ScanFunctions* functions = nullptr;
  NumberType type = NumberType::kFloat32;
  ScanForm form;
  MemoryLines lines;
  int64_t element = 4;
};

constexpr DTypes kScanned = kIndexTypes | DType::kFloat32 | DType::kFloat64;
constexpr TypeRule kScanTypes = {.operands = kScanned, .results = kScanned};

RejectionReason fits(const void* op, const ArgFacts& args) {
  return static_cast<const Cumsum*>(op)->flatten || known_number(args, 1, -1) ? nullptr : "the axis is not constant";
}

Prepared prepare(const void* op, const ArgFacts& args, PrepareContext&) {
  const auto& cumsum = *static_cast<const Cumsum*>(op);
  State s;
  s.functions = &scan_table(kernel_isa(args.kernel()));
  s.type = *number_type(args.in(0).dtype);
  // Paddle leaves a single element as it is.
  s.form = {cumsum.exclusive && args.shape(0).count() > 1, cumsum.reverse};
  s.element = static_cast<int64_t>(size_of(args.in(0).dtype));
  if (cumsum.flatten) {
    s.lines.length = args.shape(0).count();
  } else {
    s.lines = MemoryLines(args.in(0), static_cast<int64_t>(*known_number(args, 1, -1)));
  }
  return in_place(prepared(s));
}

void run(KernelCall& call) noexcept {
  const State& s = state_of<State>(call);
  ScanForm form = s.form;
  form.deadline = call.deadline();
  const char* x = call.in[0].as<const char>();
  char* y = call.out[0].as<char>();
  const auto length = static_cast<size_t>(s.lines.length);
  if (s.lines.inner == 1) {
    call.pool->parallel_for(s.lines.outer, grain_of(s.lines.length), [&](int64_t begin, int64_t end) {
      const int64_t at = begin * s.lines.length * s.element;
      s.functions->rows(s.type, form, x + at, y + at, static_cast<size_t>(end - begin), length);
    });
    return;
  }
  const int64_t grain = std::max<int64_t>(grain_of(s.lines.length), 64);
  call.pool->parallel_for(s.lines.outer * s.lines.inner, grain, [&](int64_t begin, int64_t end) {
    while (begin < end) {
      const int64_t image = begin / s.lines.inner;
      const int64_t first = begin - image * s.lines.inner;
      const int64_t last = std::min(first + end - begin, s.lines.inner);
      const int64_t at = image * s.lines.length * s.lines.inner * s.element;
      s.functions->strided(s.type, form, x + at, y + at, length, static_cast<size_t>(s.lines.inner),
                           static_cast<size_t>(first), static_cast<size_t>(last));
      begin += last - first;
    }
  });
}

template <Isa kIsa>
struct IsaKernels {
  static constexpr std::array<KernelDef, 1> kKernels = {KernelDef{.name = kernel_name<Cumsum, kIsa>(),
                                                                  .op = &kOpSchema<Cumsum>,
                                                                  .capability = kIsa,
                                                                  .types = kScanTypes,
                                                                  .fits = fits,
                                                                  .prepare = prepare,
                                                                  .run = run}};
};

constexpr auto kKernels = kernels_of_each_isa<IsaKernels>();

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = kernel_table<kKernels>();

}  // namespace coracle::internal::cpu::kernels::scan
