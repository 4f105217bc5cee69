// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/tensor.h"

namespace coracle::internal::test {

/// What became of a model that may be damaged.
enum class Fate {
  kRefused,  ///< by loading or running it, with an Error
  kRan,
};

/// Loads a model (both files in memory) and runs it once with `inputs`, as far as they fit what it takes; inputs it
/// takes besides are small and zero. Memory of the run is bounded, and so is its time: by `time_limit_ms`. Whatever is
/// thrown that is not an Error comes out, as does an Error without a text.
Fate load_and_run(const std::string& program, const std::string& params, const std::vector<Tensor>& inputs,
                  int64_t time_limit_ms);

}  // namespace coracle::internal::test
