// SPDX-License-Identifier: Apache-2.0
#include "base/stack.h"

#include <pthread.h>

#include <cstdint>

#include "base/error.h"

namespace coracle::internal {
namespace {

struct Stack {
  uintptr_t begin = 0;
  size_t size = 0;  ///< 0: unknown
};

Stack stack_of_this_thread() {
  Stack stack;
#if defined(__linux__)
  pthread_attr_t attributes;
  if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) return stack;
  void* begin = nullptr;
  if (::pthread_attr_getstack(&attributes, &begin, &stack.size) != 0) stack.size = 0;
  stack.begin = reinterpret_cast<uintptr_t>(begin);
  ::pthread_attr_destroy(&attributes);
#endif
  return stack;
}

}  // namespace

void require_stack(std::string_view what) {
  thread_local const Stack stack = stack_of_this_thread();
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  if (here < stack.begin || here - stack.begin >= stack.size) return;
  const size_t left = here - stack.begin;
  require(left >= kStackBytes, ErrorCode::kOutOfMemory, what, " takes up to ", kStackBytes / 1024,
          " KiB of its thread's stack, which has ", left / 1024, " KiB left of ", stack.size / 1024,
          ": give the thread a larger one");
}

}  // namespace coracle::internal
