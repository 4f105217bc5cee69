// SPDX-License-Identifier: Apache-2.0
#include "base/size.h"

#include "base/error.h"

namespace coracle::size_detail {

void fail_too_large() {
  fail(ErrorCode::kOutOfMemory, "a size does not fit in 63 bits: no memory holds what would be needed");
}

}  // namespace coracle::size_detail
