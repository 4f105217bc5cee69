// SPDX-License-Identifier: Apache-2.0
#include "ops/rnn/recurrent.h"

#include "base/counted.h"

namespace coracle::internal {

std::vector<int64_t> sequence_offsets(const Lod& lod, int64_t rows) {
  if (lod.empty() || lod.back().empty()) return {0, rows};
  std::vector<int64_t> offsets(lod.back().begin(), lod.back().end());
  bool fits = offsets.front() == 0 && offsets.back() == rows;
  for (size_t i = 1; i < offsets.size(); ++i) fits = fits && offsets[i] >= offsets[i - 1];
  require(fits, ErrorCode::kRunFailure, "the sequence offsets do not fit the ", counted(rows, "row"), " of x");
  return offsets;
}

int64_t sequence_count(const Fact& x) {
  if (x.lod != nullptr && !x.lod->empty() && !x.lod->back().empty())
    return static_cast<int64_t>(x.lod->back().size()) - 1;
  return Shape::kUnknown;
}

}  // namespace coracle::internal
