// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

namespace coracle::internal {

/// An address for each thread, null until it sets one; what it set is freed when the thread ends, unless the slot is
/// gone by then.
class ThreadSlot {
 public:
  explicit ThreadSlot(void (*free)(void*)) : made_(::pthread_key_create(&key_, free) == 0) {}
  // Before the library is unloaded: no thread may call its code afterwards.
  ~ThreadSlot() {
    if (made_) ::pthread_key_delete(key_);
  }
  ThreadSlot(const ThreadSlot&) = delete;
  ThreadSlot& operator=(const ThreadSlot&) = delete;

  bool made() const { return made_; }
  void* get() const { return made_ ? ::pthread_getspecific(key_) : nullptr; }
  bool set(void* address) { return made_ && ::pthread_setspecific(key_, address) == 0; }

 private:
  pthread_key_t key_{};
  const bool made_;
};

}  // namespace coracle::internal
