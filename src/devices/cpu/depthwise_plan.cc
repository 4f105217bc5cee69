// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/depthwise_plan.h"

#include <algorithm>

namespace coracle::internal::cpu {
namespace {

/// What finishing a result takes, in multiplications.
constexpr int64_t kFinishedResult = 8;
/// Multiplications that are worth a thread.
constexpr int64_t kDepthwiseGrain = 128 << 10;
/// Channels of a part, where rows are cut into parts: whole lines of the cache.
constexpr int64_t kPartChannels = 32;
/// Rows in a share from which it pays to compute pairs of them together.
constexpr int64_t kRowsOfPairs = 16;

/// Parts of each row, so that threads have shares of nearly the same size although rows are few.
int64_t parts_of_rows(int64_t rows, int64_t channels, int64_t threads) {
  const auto most = [=](int64_t parts) {  // of all rows, a thread's share
    const int64_t share = (rows * parts + threads - 1) / threads;
    return static_cast<double>(share) / static_cast<double>(parts);
  };
  constexpr double kClearlyLess = 0.9;
  int64_t best = 1;
  for (int64_t parts = 2; parts <= std::min(threads, channels / kPartChannels); ++parts) {
    if (most(parts) < most(best) * kClearlyLess) best = parts;
  }
  return best;
}

/// Channels [begin, end) of a call, whose epilogue goes to `ops`.
DepthwiseCall some_channels(const DepthwiseCall& call, int64_t begin, int64_t end, EpilogueOp* ops) {
  DepthwiseCall part = call;
  part.channels = end - begin;
  part.input += begin;
  part.packed += begin;
  part.output += begin;
  part.epilogue = ops;
  for (int i = 0; i < call.epilogue_size; ++i) {
    ops[i] = call.epilogue[i];
    if (ops[i].tensor != nullptr) ops[i].tensor += begin;
    if (ops[i].integers != nullptr) ops[i].integers += begin;
  }
  return part;
}

}  // namespace

void run_whole_depthwise(const DepthwiseFunctions& functions, const DepthwiseCall& call, int64_t rows,
                         ThreadPool& pool) noexcept {
  const int64_t per_row = call.out_w * call.channels * (call.kernel_h * call.kernel_w + kFinishedResult) + 1;
  const int64_t threads = std::clamp<int64_t>(rows * per_row / kDepthwiseGrain, 1, pool.threads());
  const int64_t parts = threads == 1 ? 1 : parts_of_rows(rows, call.channels, threads);
  if (parts == 1) {
    const int64_t unit = rows >= kRowsOfPairs * pool.threads() ? 2 : 1;
    pool.parallel_for(
        (rows + unit - 1) / unit, kDepthwiseGrain / (unit * per_row) + 1,
        [&](int64_t begin, int64_t end) { functions.run(call, unit * begin, std::min(unit * end, rows)); });
    return;
  }
  const int64_t lines = (call.channels + kPartChannels - 1) / kPartChannels;
  pool.parallel_for(parts * rows, rows * parts / threads, [&](int64_t begin, int64_t end) {
    while (begin < end) {
      const int64_t part = begin / rows;
      const int64_t row = begin - part * rows;
      const int64_t row_end = std::min(rows, row + end - begin);
      const int64_t first = lines * part / parts * kPartChannels;
      const int64_t last = std::min(call.channels, lines * (part + 1) / parts * kPartChannels);
      EpilogueOp ops[kMaxEpilogueOps];
      functions.run(some_channels(call, first, last, ops), row, row_end);
      begin += row_end - row;
    }
  });
}

}  // namespace coracle::internal::cpu
