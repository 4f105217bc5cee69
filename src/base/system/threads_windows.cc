// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>

#include <bit>
#include <cerrno>

#include "base/system/threads.h"
#include "base/system/windows_headers.h"

namespace coracle::internal {

// Of up to 64 processors, one of Windows' groups.
const bool kBindsThreads = true;

std::vector<int> affinity() {
  DWORD_PTR mine = 0;
  DWORD_PTR all = 0;
  std::vector<int> cpus;
  if (GetProcessAffinityMask(GetCurrentProcess(), &mine, &all) == 0) return cpus;
  for (uint64_t left = mine; left != 0; left &= left - 1) cpus.push_back(std::countr_zero(left));
  return cpus;
}

std::vector<int> first_affinity() { return affinity(); }

int bind_to(ThreadHandle thread, const std::vector<int>& cpus) {
  DWORD_PTR set = 0;
  for (const int cpu : cpus) {
    if (cpu >= 64) return EINVAL;
    set |= DWORD_PTR{1} << static_cast<unsigned>(cpu);
  }
  return SetThreadAffinityMask(static_cast<HANDLE>(::pthread_gethandle(thread)), set) != 0 ? 0 : EINVAL;
}

ThreadHandle this_thread_handle() { return ::pthread_self(); }

SavedAffinity::SavedAffinity() {
  DWORD_PTR mine = 0;
  DWORD_PTR all = 0;
  if (GetProcessAffinityMask(GetCurrentProcess(), &mine, &all) == 0) return;
  const DWORD_PTR before = SetThreadAffinityMask(GetCurrentThread(), mine);
  if (before == 0) return;
  SetThreadAffinityMask(GetCurrentThread(), before);
  set_ = {static_cast<unsigned long>(before), static_cast<unsigned long>(before >> 32U)};
}

void SavedAffinity::restore() const {
  if (set_.empty()) return;
  SetThreadAffinityMask(GetCurrentThread(), DWORD_PTR{set_[0]} | DWORD_PTR{set_[1]} << 32U);
}

int prefer_memory_of(size_t /*node*/) { return ENOSYS; }

// The system counts in steps of 15 ms, too coarse for a run.
std::optional<int64_t> processor_time(ThreadHandle /*thread*/) { return std::nullopt; }
std::optional<OwnTime> own_processor_time() { return std::nullopt; }

ThreadStack stack_of_this_thread() {
  ULONG_PTR low = 0;
  ULONG_PTR high = 0;
  GetCurrentThreadStackLimits(&low, &high);
  return {.begin = low, .size = high - low};
}

}  // namespace coracle::internal
