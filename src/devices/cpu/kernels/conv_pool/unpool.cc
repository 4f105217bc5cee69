// SPDX-License-Identifier: Apache-2.0
#include "ops/conv_pool/unpool.h"

#include <algorithm>
#include <atomic>
#include <limits>

#include "devices/cpu/kernels/kernel_table.h"
#include "ops/activation/maxout.h"
#include "ops/conv_pool/unpool3d.h"

/// Unpooling, channel by channel, and the maximum over groups of channels, which lie apart.
namespace coracle::internal::cpu::kernels::unpool {
namespace {

constexpr TypeRule kUnpoolTypes = {.in = {{{1, kIndexTypes}}}};

RejectionReason fits_unpool(const void*, const ArgFacts& args) {
  return args.shape(0).count() == 0 || args.out().shape.count() == 0 ? "no elements" : nullptr;
}

/// The first element whose index lies outside, where it stops, or -1.
template <class Index>
int64_t scatter(const float* x, const Index* indices, int64_t from, float* y, int64_t to) {
  std::fill_n(y, to, 0.0F);
  for (int64_t i = 0; i < from; ++i) {
    const int64_t at = indices[i];
    if (at < 0 || at >= to) return i;
    y[at] = x[i];
  }
  return -1;
}

void run_unpool(KernelCall& call) noexcept {
  const Shape& s = call.in[0].fact->shape;
  const int64_t planes = s[0] * s[1];
  const int64_t from = s.count(2, s.rank());
  const int64_t to = call.out[0].fact->shape.count(2, s.rank());
  const bool wide = call.in[1].fact->dtype == DType::kInt64;
  constexpr int64_t kNone = INT64_MAX;
  std::atomic<int64_t> first_outside{kNone};
  call.pool->parallel_for(planes, grain_of(from + to), [&](int64_t begin, int64_t end) {
    for (int64_t plane = begin; plane < end; ++plane) {
      const float* x = call.in[0].as<const float>() + plane * from;
      float* y = call.out[0].as<float>() + plane * to;
      int64_t outside = wide ? scatter(x, call.in[1].as<const int64_t>() + plane * from, from, y, to)
                             : scatter(x, call.in[1].as<const int32_t>() + plane * from, from, y, to);
      if (outside < 0) continue;
      outside += plane * from;
      int64_t least = first_outside.load();
      while (outside < least && !first_outside.compare_exchange_weak(least, outside)) {
      }
    }
  });
  const int64_t element = first_outside.load();
  if (element == kNone) return;
  const int64_t index =
      wide ? call.in[1].as<const int64_t>()[element] : int64_t{call.in[1].as<const int32_t>()[element]};
  call.fail("an index is out of range", [&] { return out_of_range_text(index, "Indices", element, 0, to - 1); });
}

struct MaxoutState {
  int64_t lines = 0;  ///< of `inner` elements of the result
  int64_t inner = 1;
  int64_t groups = 1;
};

RejectionReason fits_maxout(const void*, const ArgFacts& args) {
  return args.shape(0).count() == 0 ? "no elements" : nullptr;
}

Prepared prepare_maxout(const void* op_attributes, const ArgFacts& args, PrepareContext&) {
  const auto& op = *static_cast<const Maxout*>(op_attributes);
  const Shape& y = args.out().shape;
  MaxoutState s;
  s.inner = y.count(normalize_axis(op.axis, y.rank()) + 1, y.rank());
  s.lines = y.count() / s.inner;
  s.groups = op.groups;
  return prepared(s);
}

void run_maxout(KernelCall& call) noexcept {
  const MaxoutState& s = state_of<MaxoutState>(call);
  call.pool->parallel_for(s.lines, grain_of(s.inner * s.groups), [&](int64_t begin, int64_t end) {
    for (int64_t line = begin; line < end; ++line) {
      const float* x = call.in[0].as<const float>() + line * s.groups * s.inner;
      float* y = call.out[0].as<float>() + line * s.inner;
      std::fill_n(y, s.inner, std::numeric_limits<float>::lowest());
      for (int64_t g = 0; g < s.groups; ++g) {
        const float* from = x + g * s.inner;
        for (int64_t i = 0; i < s.inner; ++i) y[i] = y[i] > from[i] ? y[i] : from[i];
      }
    }
  });
}

template <class Op>
constexpr KernelDef unpool_kernel() {
  return {.name = kernel_name<Op, Isa::kAny>(),
          .op = &kOpSchema<Op>,
          .types = kUnpoolTypes,
          .fits = fits_unpool,
          .run = run_unpool};
}

constexpr std::array<KernelDef, 3> kKernels = {unpool_kernel<Unpool>(), unpool_kernel<Unpool3d>(),
                                               KernelDef{.name = kernel_name<Maxout, Isa::kAny>(),
                                                         .op = &kOpSchema<Maxout>,
                                                         .fits = fits_maxout,
                                                         .prepare = prepare_maxout,
                                                         .run = run_maxout}};

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = kernel_table<kKernels>();

}  // namespace coracle::internal::cpu::kernels::unpool
