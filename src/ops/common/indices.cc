// SPDX-License-Identifier: Apache-2.0
#include "ops/common/indices.h"

#include "base/error.h"

namespace coracle::internal {

std::string out_of_range_text(int64_t index, const char* operand, int64_t element, int64_t least, int64_t most) {
  std::string says = text("index ", index, " (element ", element, " of ", operand, ") is out of range: ");
  return says + (least > most ? "there is nothing to index" : text("expected ", least, " to ", most));
}

void fail_index(int64_t index, const char* operand, int64_t element, int64_t least, int64_t most) {
  throw Error(ErrorCode::kRunFailure, out_of_range_text(index, operand, element, least, most));
}

}  // namespace coracle::internal
