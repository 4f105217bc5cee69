// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cstring>
#include <limits>

#include "base/convert.h"
#include "devices/cpu/isa/number_binary.h"
#include "devices/cpu/isa/number_unary.h"
#include "devices/cpu/kernel_isa.h"
#include "devices/cpu/kernels/elementwise/numbers.h"
#include "ops/elementwise/clip.h"
#include "ops/elementwise/scale.h"
#include "ops/logic/equal_all.h"

/// Functions of integers and two numbers: clip, and scale, which is two operations one after the other; and
/// whether all are equal.
namespace coracle::internal::cpu::kernels::whole {
namespace {

constexpr int64_t kTogether = 2048;  ///< elements that stay in the first-level cache between the two

// ---- clip

struct ClipState {
  ClipLoop loop = nullptr;
  int64_t low = 0;  ///< its lowest bytes are the number in the operand's type
  int64_t high = 0;
  int64_t count = 0;
  int64_t element = 8;
};

constexpr TypeRule kClipTypes = {.operands = kIndexTypes, .results = kIndexTypes};
constexpr TypeRule kScaleTypes = {.operands = DType::kInt64, .results = DType::kInt64};
constexpr TypeRule kEqualAllTypes = {
    .operands = binary_types(NumberBinaryKind::kEqual), .results = DType::kBool, .alike = true};

RejectionReason fits_clip(const void*, const ArgFacts& args) {
  return known_number(args, 1, 0) && known_number(args, 2, 0) ? nullptr : "a bound is not constant";
}

/// The bound as a number of type T: truncated, and its least or largest number where it lies beyond.
template <class T>
T bound_of(double value) {
  constexpr auto kEnd = -static_cast<double>(std::numeric_limits<T>::min());
  if (value >= kEnd) return std::numeric_limits<T>::max();
  return value < -kEnd ? std::numeric_limits<T>::min() : convert<T>(value);
}

int64_t bound_of(DType dtype, double value) {
  return dtype == DType::kInt32 ? bound_of<int32_t>(value) : bound_of<int64_t>(value);
}

Prepared prepare_clip(const void*, const ArgFacts& args, PrepareContext&) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const DType dtype = args.in(0).dtype;
  return in_place(prepared(ClipState{number_unary_table(kernel_isa(args.kernel())).clip(*number_type(dtype)),
                                     bound_of(dtype, *known_number(args, 1, -kInfinity)),
                                     bound_of(dtype, *known_number(args, 2, kInfinity)), args.shape(0).count(),
                                     static_cast<int64_t>(size_of(dtype))}));
}

void run_clip(KernelCall& call) noexcept {
  const auto& s = state_of<ClipState>(call);
  const char* x = call.in[0].as<const char>();
  char* y = call.out[0].as<char>();
  call.pool->parallel_for(s.count, kGrain, [&](int64_t begin, int64_t end) {
    s.loop(x + begin * s.element, &s.low, &s.high, y + begin * s.element, static_cast<size_t>(end - begin));
  });
}

// ---- scale

struct State {
  NumberBinaryLoop first = nullptr;
  NumberBinaryLoop second = nullptr;
  int64_t first_number = 0;  ///< its lowest bytes are the number in the operand's type
  int64_t second_number = 0;
  int64_t count = 0;
  int64_t element = 8;
};

State state_of_two(const ArgFacts& args, NumberBinaryKind first, int64_t first_number, NumberBinaryKind second,
                   int64_t second_number) {
  const auto loop = [&](NumberBinaryKind kind) {
    return number_binary_table(kernel_isa(args.kernel())).loops(kind, *number_type(args.in(0).dtype)).scalar_right;
  };
  return {loop(first),   loop(second),          first_number,
          second_number, args.shape(0).count(), static_cast<int64_t>(size_of(args.in(0).dtype))};
}

RejectionReason fits_scale(const void*, const ArgFacts& args) {
  return known_number(args, 1, 1) ? nullptr : "the scale is not constant";
}

Prepared prepare_scale(const void* attributes, const ArgFacts& args, PrepareContext&) {
  const auto& op = *static_cast<const Scale*>(attributes);
  const auto scale = convert<int64_t>(*known_number(args, 1, 1));
  const auto bias = convert<int64_t>(op.bias);
  constexpr auto kMultiply = NumberBinaryKind::kMultiply;
  constexpr auto kAdd = NumberBinaryKind::kAdd;
  return in_place(prepared(op.bias_after_scale ? state_of_two(args, kMultiply, scale, kAdd, bias)
                                               : state_of_two(args, kAdd, bias, kMultiply, scale)));
}

void run(KernelCall& call) noexcept {
  const auto& s = state_of<State>(call);
  const char* x = call.in[0].as<const char>();
  char* y = call.out[0].as<char>();
  call.pool->parallel_for(s.count, kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end; at += kTogether) {
      const auto size = static_cast<size_t>(std::min(kTogether, end - at));
      s.first(x + at * s.element, &s.first_number, y + at * s.element, size);
      s.second(y + at * s.element, &s.second_number, y + at * s.element, size);
    }
  });
}

// ---- equal_all

struct EqualState {
  NumberBinaryLoop equal = nullptr;
  int64_t count = 0;  ///< -1: the shapes differ
  int64_t element = 8;
};

Prepared prepare_equal_all(const void*, const ArgFacts& args, PrepareContext&) {
  return prepared(EqualState{number_binary_table(kernel_isa(args.kernel()))
                                 .loops(NumberBinaryKind::kEqual, *number_type(args.in(0).dtype))
                                 .same,
                             args.shape(0) == args.shape(1) ? args.shape(0).count() : -1,
                             static_cast<int64_t>(size_of(args.in(0).dtype))});
}

void run_equal_all(KernelCall& call) noexcept {
  const auto& s = state_of<EqualState>(call);
  std::atomic<bool> all = s.count >= 0;
  const char* x = call.in[0].as<const char>();
  const char* z = call.in[1].as<const char>();
  call.pool->parallel_for(std::max<int64_t>(s.count, 0), kGrain, [&](int64_t begin, int64_t end) {
    uint8_t equal[kTogether];
    for (int64_t at = begin; at < end && all.load(std::memory_order_relaxed); at += kTogether) {
      const auto size = static_cast<size_t>(std::min(kTogether, end - at));
      s.equal(x + at * s.element, z + at * s.element, equal, size);
      if (std::memchr(equal, 0, size) != nullptr) all.store(false, std::memory_order_relaxed);
    }
  });
  *call.out[0].as<bool>() = all.load();
}

template <Isa kIsa>
struct IsaKernels {
  static constexpr std::array<KernelDef, 3> kKernels = {
      KernelDef{.name = variant_name<Clip, ".numbers", kIsa>(),
                .op = &kOpSchema<Clip>,
                .capability = kIsa,
                .layout = LayoutRule::kSame,
                .types = kClipTypes,
                .fits = fits_clip,
                .prepare = prepare_clip,
                .run = run_clip},
      KernelDef{.name = variant_name<Scale, ".numbers", kIsa>(),
                .op = &kOpSchema<Scale>,
                .capability = kIsa,
                .layout = LayoutRule::kSame,
                .types = kScaleTypes,
                .fits = fits_scale,
                .prepare = prepare_scale,
                .run = run},
      KernelDef{.name = kernel_name<EqualAll, kIsa>(),
                .op = &kOpSchema<EqualAll>,
                .capability = kIsa,
                .types = kEqualAllTypes,
                .prepare = prepare_equal_all,
                .run = run_equal_all},
  };
};

constexpr auto kKernels = kernels_of_each_isa<IsaKernels>();

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = kernel_table<kKernels>();

}  // namespace coracle::internal::cpu::kernels::whole
