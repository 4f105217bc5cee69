// SPDX-License-Identifier: Apache-2.0
#include "base/size.h"

#include "base/error.h"

namespace coracle::internal::size_detail {

void fail_too_large() {
  fail(ErrorCode::kOutOfMemory, "a size exceeds 2^", sizeof(size_t) < sizeof(int64_t) ? 31 : 63,
       " bytes: the shapes or attributes ask for a tensor that no memory can hold");
}

}  // namespace coracle::internal::size_detail
