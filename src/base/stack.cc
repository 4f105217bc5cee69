// SPDX-License-Identifier: Apache-2.0
#include "base/stack.h"

#include <cstdint>

#include "base/error.h"
#include "base/system/threads.h"

namespace coracle::internal {

void require_stack(std::string_view what) {
  thread_local const ThreadStack stack = stack_of_this_thread();
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  if (here < stack.begin || here - stack.begin >= stack.size) return;
  const size_t left = here - stack.begin;
  require(left >= kStackBytes, ErrorCode::kOutOfMemory, what, " takes up to ", kStackBytes / 1024,
          " KiB of its thread's stack, which has ", left / 1024, " KiB left of ", stack.size / 1024,
          ": give the thread a larger one");
}

}  // namespace coracle::internal
