// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "serve/inference.h"

namespace coracle::serve {

/// What the runs of a model have taught: how long they take, by shape and rows, and of which shapes batches have had
/// the bits of single requests. It holds as long as the model, the library and the processor are the same. For any
/// number of threads.
class RunHistory {
 public:
  /// A run of so many rows of a shape has taken so long.
  void add(const std::string& shape, int64_t rows, Clock::duration took);
  /// How long nearly all such runs take; nothing for a shape that was not seen. Rows that were not seen are taken to
  /// cost no more than their part of a smaller batch, and no more than a larger one.
  std::optional<Clock::duration> predict(const std::string& shape, int64_t rows) const;

  bool is_proven(const std::string& shape) const;
  void prove(const std::string& shape);
  /// Batches do not keep answers.
  void refuse(const std::string& why);
  std::optional<std::string> refused() const;

  std::string json() const;
  /// Takes the place of what was learnt before. Throws Failure for a text that json() does not write.
  void restore(std::string_view json);
  /// Grows with every change.
  uint64_t changes() const;

 private:
  /// Exponentially weighted, in microseconds.
  struct Cost {
    double mean = 0;
    double deviation = 0;
  };
  struct Shape {
    std::map<int64_t, Cost> costs;
    bool proven = false;
    uint64_t last_use = 0;
  };
  Shape& shape_for(const std::string& shape);

  mutable std::mutex mutex_;
  std::map<std::string, Shape, std::less<>> shapes_;
  std::optional<std::string> refused_;
  uint64_t changes_ = 0;
};

}  // namespace coracle::serve
