// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/limits.h"

#include "devices/cpu/isa/vector.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

/// Enough for two units with a latency of four or five cycles, few enough for 16 registers.
constexpr int kSums = 12;
constexpr int kStreams = 8;

int64_t multiply_add(int64_t steps, float* sum) {
  const FloatTag d;
  FloatVector sums[kSums];
  CORACLE_UNROLL for (int i = 0; i < kSums; ++i) sums[i] = hn::Set(d, static_cast<float>(i));
  const FloatVector factor = hn::Set(d, 0.999f);
  const FloatVector term = hn::Set(d, 0.001f);
  for (int64_t s = 0; s < steps; ++s) {
    CORACLE_UNROLL for (int i = 0; i < kSums; ++i) sums[i] = hn::MulAdd(sums[i], factor, term);
  }
  FloatVector total = sums[0];
  for (int i = 1; i < kSums; ++i) total = hn::Add(total, sums[i]);
  *sum = hn::GetLane(hn::SumOfLanes(d, total));
  return 2 * steps * kSums * static_cast<int64_t>(kFloatLanes);
}

float read(const float* x, int64_t count) {
  const FloatTag d;
  FloatVector sums[kStreams];
  for (int i = 0; i < kStreams; ++i) sums[i] = hn::Zero(d);
  constexpr auto kLanes = static_cast<int64_t>(kFloatLanes);
  int64_t at = 0;
  for (; at + kStreams * kLanes <= count; at += kStreams * kLanes) {
    CORACLE_UNROLL for (int i = 0; i < kStreams; ++i) sums[i] = hn::Add(sums[i], hn::LoadU(d, x + at + i * kLanes));
  }
  for (int i = 1; i < kStreams; ++i) sums[0] = hn::Add(sums[0], sums[i]);
  float total = hn::GetLane(hn::SumOfLanes(d, sums[0]));
  for (; at < count; ++at) total += x[at];
  return total;
}

}  // namespace

const LimitFunctions limits = {multiply_add, read};

}  // namespace coracle::internal::cpu::CORACLE_ISA
