// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "loading/model.h"
#include "run/session.h"

/// Runs what a fuzz target's bytes loaded.
namespace coracle::internal::test {

/// Limits of loading and of one run.
inline constexpr int64_t kFuzzTimeLimitMs = 200;
inline constexpr size_t kFuzzMemoryLimit = size_t{64} << 20U;
inline const ModelOptions kFuzzModelOptions{.load = {}, .passes = {}, .kernels = {}, .time_limit_ms = 1000};

/// An input as the model declares it, at most some thousand elements: `free` for sizes that are not declared, small
/// numbers that follow from their places.
inline Tensor declared_input(const TensorInfo& info, int64_t free) {
  constexpr int64_t kMostElements = 4096;
  constexpr int64_t kMostSize = 64;
  Shape shape = info.shape.rank_known() ? info.shape : Shape{free};
  int64_t count = 1;
  for (int64_t& size : shape) {
    size = std::clamp<int64_t>(size < 0 ? free : size, 0,
                               std::min(kMostSize, kMostElements / std::max<int64_t>(count, 1)));
    count *= size;
  }
  Tensor t = Tensor::make(info.dtype, shape);
  std::fill_n(static_cast<unsigned char*>(t.raw()), t.bytes(), static_cast<unsigned char>(0));
  if (is_float(info.dtype)) {
    std::vector<double> values(static_cast<size_t>(count));
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i * 37 % 17) / 8 - 1;
    t.assign(std::span<const double>(values));
  } else if (!is_complex(info.dtype)) {
    std::vector<int64_t> values(static_cast<size_t>(count));
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int64_t>(i * 37 % 5);
    t.assign(std::span<const int64_t>(values));
  }
  if (info.lod_levels > 0 && shape.rank() > 0) {
    // Levels above the last hold one sequence of all below.
    const auto rows = static_cast<size_t>(shape[0]);
    Lod lod(static_cast<size_t>(std::min(info.lod_levels, 3)), std::vector<size_t>{0, 1});
    lod.back() = {0, rows};
    t.set_lod(lod);
  }
  return t;
}

/// Runs the model with inputs of two sizes, in one session: results or an Error each.
inline void run_within_limits(const std::shared_ptr<const Model>& model) {
  Session session(model, {.threads = 1, .memory_limit = kFuzzMemoryLimit, .time_limit_ms = kFuzzTimeLimitMs});
  for (int64_t free : {2, 5}) {
    try {
      for (size_t i = 0; i < model->info().inputs.size(); ++i) {
        session.set_input(i, declared_input(model->info().inputs[i], free));
      }
      session.run();
    } catch (const Error&) {
    }
  }
}

}  // namespace coracle::internal::test
