// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>

#include "base/system/threads.h"
#if defined(__linux__)
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>  // NOLINT(modernize-deprecated-headers): clock_gettime
#include <unistd.h>
#endif

#include <algorithm>
#include <cerrno>

namespace coracle::internal {

ThreadHandle this_thread_handle() { return ::pthread_self(); }

#if defined(__linux__)

const bool kBindsThreads = true;

namespace {

std::vector<int> affinity_of(pid_t thread) {
  constexpr int kMostCpus = 1 << 16;
  std::vector<int> mine;
  for (int cpus = 1024; cpus <= kMostCpus; cpus *= 4) {  // the kernel refuses a set that is too small for it
    std::vector<cpu_set_t> set(CPU_ALLOC_SIZE(cpus) / sizeof(cpu_set_t));
    const size_t bytes = set.size() * sizeof(cpu_set_t);
    if (::sched_getaffinity(thread, bytes, set.data()) != 0) continue;
    for (int cpu = 0; cpu < cpus; ++cpu) {
      if (CPU_ISSET_S(static_cast<size_t>(cpu), bytes, set.data())) mine.push_back(cpu);
    }
    break;
  }
  return mine;
}

}  // namespace

std::vector<int> affinity() { return affinity_of(0); }
std::vector<int> first_affinity() { return affinity_of(::getpid()); }

int bind_to(ThreadHandle thread, const std::vector<int>& cpus) {
  const size_t bytes = CPU_ALLOC_SIZE(cpus.back() + 1);
  std::vector<cpu_set_t> set(bytes / sizeof(cpu_set_t) + 1);
  for (const int cpu : cpus) CPU_SET_S(static_cast<size_t>(cpu), bytes, set.data());
  return ::pthread_setaffinity_np(thread, bytes, set.data());
}

SavedAffinity::SavedAffinity() : set_(sizeof(cpu_set_t) / sizeof(unsigned long)) {
  if (::sched_getaffinity(0, sizeof(cpu_set_t), reinterpret_cast<cpu_set_t*>(set_.data())) != 0) set_.clear();
}

void SavedAffinity::restore() const {
  if (set_.empty()) return;
  ::sched_setaffinity(0, sizeof(cpu_set_t), reinterpret_cast<const cpu_set_t*>(set_.data()));
}

int prefer_memory_of(size_t node) {
  constexpr long kPreferred = 1;  // MPOL_PREFERRED of the kernel's interface
  constexpr size_t kBits = 8 * sizeof(unsigned long);
  std::vector<unsigned long> mask(node / kBits + 1);
  mask[node / kBits] = 1UL << node % kBits;
  // The system takes one bit less than it is told.
  return ::syscall(SYS_set_mempolicy, kPreferred, mask.data(), mask.size() * kBits + 1) == 0 ? 0 : errno;
}

std::optional<int64_t> processor_time(ThreadHandle thread) {
  clockid_t clock = 0;
  timespec time{};
  if (::pthread_getcpuclockid(thread, &clock) != 0 || ::clock_gettime(clock, &time) != 0) return std::nullopt;
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

std::optional<OwnTime> own_processor_time() {
  timespec time{};
  rusage usage{};
  if (::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) != 0 || ::getrusage(RUSAGE_THREAD, &usage) != 0) {
    return std::nullopt;
  }
  return OwnTime{.busy = int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec, .interrupted = usage.ru_nivcsw};
}

ThreadStack stack_of_this_thread() {
  ThreadStack stack;
  pthread_attr_t attributes;
  if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) return stack;
  void* begin = nullptr;
  if (::pthread_attr_getstack(&attributes, &begin, &stack.size) != 0) stack.size = 0;
  stack.begin = reinterpret_cast<uintptr_t>(begin);
  ::pthread_attr_destroy(&attributes);
  return stack;
}

#else

const bool kBindsThreads = false;
std::vector<int> affinity() { return {}; }
std::vector<int> first_affinity() { return {}; }
int bind_to(ThreadHandle, const std::vector<int>&) { return ENOSYS; }
SavedAffinity::SavedAffinity() = default;
void SavedAffinity::restore() const {}
int prefer_memory_of(size_t) { return ENOSYS; }
std::optional<int64_t> processor_time(ThreadHandle) { return std::nullopt; }
std::optional<OwnTime> own_processor_time() { return std::nullopt; }
ThreadStack stack_of_this_thread() { return {}; }

#endif

}  // namespace coracle::internal
