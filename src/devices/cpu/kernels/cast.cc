// SPDX-License-Identifier: Apache-2.0
#include "ops/cast.h"

#include "devices/cpu/isa/convert.h"
#include "devices/cpu/kernels/rows.h"

namespace coracle::cpu::kernels {
namespace {

std::optional<NumberType> number_type(DType dtype) {
  switch (dtype) {
    case DType::kBool: return NumberType::kBool;
    case DType::kUint8: return NumberType::kUint8;
    case DType::kInt8: return NumberType::kInt8;
    case DType::kInt16: return NumberType::kInt16;
    case DType::kInt32: return NumberType::kInt32;
    case DType::kInt64: return NumberType::kInt64;
    case DType::kFloat16: return NumberType::kFloat16;
    case DType::kBfloat16: return NumberType::kBfloat16;
    case DType::kFloat32: return NumberType::kFloat32;
    case DType::kFloat64: return NumberType::kFloat64;
    default: return std::nullopt;
  }
}

struct State {
  const ConvertFunctions* functions = nullptr;
  NumberType from = NumberType::kFloat32;
  NumberType to = NumberType::kFloat32;
  int64_t from_size = 4;
  int64_t to_size = 4;
  int64_t count = 0;
};

Misfit fits(const void*, const ArgFacts& args) {
  return number_type(args.in(0).dtype) && number_type(args.out().dtype) ? nullptr : "only real numbers";
}

template <Isa kIsa>
Prepared prepare(const void*, const ArgFacts& args, PrepareContext&) {
  State s;
  s.functions = &convert_table(kIsa);
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
struct Rows {
  static constexpr std::array<Kernel, 1> kRows = {Kernel{.name = row_name<Cast, kIsa>(),
                                                         .op = &kOpRow<Cast>,
                                                         .isa = kIsa,
                                                         .layout = LayoutRule::kSame,
                                                         .float32 = false,
                                                         .fits = fits,
                                                         .prepare = prepare<kIsa>,
                                                         .run = run}};
};

constexpr auto kRows = rows_of_each_isa<Rows>();

}  // namespace

extern const KernelTable cast;
constinit const KernelTable cast = {kRows};

}  // namespace coracle::cpu::kernels
