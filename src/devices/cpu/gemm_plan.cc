// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/gemm_plan.h"

#include <algorithm>
#include <new>

namespace coracle::cpu {
namespace {

/// Rows that go to a thread together: a common multiple of the micro-kernels' tiles.
constexpr int64_t kRowTile = 12;
/// Multiplications below which a part is not worth a thread.
constexpr int64_t kGrain = 256 << 10;

}  // namespace

std::shared_ptr<float> aligned_floats(int64_t count) {
  constexpr std::align_val_t kAlignment{64};
  void* memory = ::operator new(static_cast<size_t>(std::max<int64_t>(count, 1)) * sizeof(float), kAlignment);
  return {static_cast<float*>(memory), [](float* p) { ::operator delete (p, std::align_val_t{64}); }};
}

void run_gemm(const GemmFunctions& gemm, const GemmPlan& plan, const float* a, const float* packed, float* c,
              const PostOp* ops, int op_count, ThreadPool& pool) noexcept {
  GemmCall call = plan.call;
  call.a = a;
  call.packed = packed + plan.packed_offset;
  call.c = c;
  call.ops = ops;
  call.op_count = op_count;
  if (plan.has_image) {
    call.image = &plan.image;
    call.zeros = plan.zeros.data();
  }
  const int64_t per_element = call.shape.taps * call.shape.depth;
  const int64_t tiles = (plan.rows + kRowTile - 1) / kRowTile;
  if (tiles >= 2 * pool.threads()) {
    const int64_t per_tile = std::max<int64_t>(kRowTile * per_element * call.shape.columns * call.groups, 1);
    pool.parallel_for(tiles, kGrain / per_tile + 1, [&](int64_t begin, int64_t end) {
      gemm.run(call, begin * kRowTile, std::min(end * kRowTile, plan.rows), 0, plan.panels);
    });
    return;
  }
  const int64_t columns = call.shape.columns * call.groups;
  const int64_t per_panel = std::max<int64_t>(plan.rows * per_element * columns / std::max<int64_t>(plan.panels, 1), 1);
  pool.parallel_for(plan.panels, kGrain / per_panel + 1,
                    [&](int64_t begin, int64_t end) { gemm.run(call, 0, plan.rows, begin, end); });
}

}  // namespace coracle::cpu
