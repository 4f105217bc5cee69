// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <thread>
#include <vector>

namespace coracle::internal {

using ThreadHandle = std::thread::native_handle_type;

/// Numbers of the processors that the calling thread may run on, in order; none where the system does not say.
std::vector<int> affinity();
/// The same of the thread that this process began with.
std::vector<int> first_affinity();
/// Whether threads can be bound to processors here.
extern const bool kBindsThreads;
/// The thread runs on these processors only, of which there is at least one. 0, or errno's number where the system
/// refuses.
int bind_to(ThreadHandle thread, const std::vector<int>& cpus);
ThreadHandle this_thread_handle();

/// Where the calling thread runs, to be brought back.
class SavedAffinity {
 public:
  SavedAffinity();
  void restore() const;

 private:
  std::vector<unsigned long> set_;
};

/// Pages that the calling thread is the first to write to come from a NUMA node, from others once it has none. 0, or
/// errno's number.
int prefer_memory_of(size_t node);

/// Time that a thread was on a processor, in ns; nothing where the system does not say it finely.
std::optional<int64_t> processor_time(ThreadHandle thread);
/// The same of the calling thread, and how often the system took the processor away.
struct OwnTime {
  int64_t busy = 0;
  int64_t interrupted = 0;
};
std::optional<OwnTime> own_processor_time();

/// The stack of the calling thread.
struct ThreadStack {
  uintptr_t begin = 0;
  size_t size = 0;  ///< 0: unknown
};
ThreadStack stack_of_this_thread();

}  // namespace coracle::internal
