// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "devices/cuda/driver.h"

namespace coracle::internal::cuda {

class Opened;

/// Times ways to compute something, on a stream and in memory of its own. Used in the device's context.
class Measuring {
 public:
  explicit Measuring(Opened& device);
  ~Measuring();
  Measuring(const Measuring&) = delete;
  Measuring& operator=(const Measuring&) = delete;

  /// Zeros; null where there is no such memory, or for no bytes.
  void* memory(size_t bytes);
  /// The fastest of so many ways, the first of those that are as fast; none where nothing could be timed. `give` gives
  /// a stream one of them, and says whether it did.
  std::optional<size_t> fastest(size_t count, const std::function<bool(size_t way, CUstream stream)>& give);

 private:
  bool done(CUresult code);
  /// Negative where the way could not be timed.
  float time(size_t way, const std::function<bool(size_t, CUstream)>& give);

  Opened& device_;
  CUstream stream_ = nullptr;
  CUevent begin_ = nullptr;
  CUevent end_ = nullptr;
  bool works_ = true;  ///< nothing has failed
  std::vector<std::shared_ptr<void>> memory_;
};

}  // namespace coracle::internal::cuda
