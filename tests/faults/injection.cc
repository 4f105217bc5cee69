// SPDX-License-Identifier: Apache-2.0
#include "faults/injection.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>

namespace coracle::internal::test {
namespace {

// Constant-initialised: they are used before any constructor runs.
std::atomic<Call> failing{Call::kNone};
std::atomic<int64_t> first_failure{0};
std::atomic<bool> all_later{false};
std::atomic<int64_t> counted{0};
std::atomic<int64_t> blocks{0};
std::atomic<int64_t> mappings{0};
std::atomic<int64_t> files{0};

bool fails(Call call) {
  if (failing.load(std::memory_order_relaxed) != call) return false;
  const int64_t number = counted.fetch_add(1, std::memory_order_relaxed) + 1;
  const int64_t first = first_failure.load(std::memory_order_relaxed);
  return first != 0 && (number == first || (number > first && all_later.load(std::memory_order_relaxed)));
}

/// Counts a block; null where it is not to be had.
template <class F>
void* allocated(const F& allocate) {
  void* data = fails(Call::kAllocation) ? nullptr : allocate();
  if (data == nullptr) {
    errno = ENOMEM;
  } else {
    blocks.fetch_add(1, std::memory_order_relaxed);
  }
  return data;
}

using CreateThread = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);

CreateThread next_create_thread() {
  static const auto next = reinterpret_cast<CreateThread>(::dlsym(RTLD_NEXT, "pthread_create"));
  return next;
}

}  // namespace

const char* name_of(Call call) {
  switch (call) {
    case Call::kNone: return "none";
    case Call::kAllocation: return "allocation";
    case Call::kMapping: return "mapping";
    case Call::kFile: return "open, stat";
    case Call::kRead: return "read";
    case Call::kThread: return "thread";
  }
  return "";
}

Injection::Injection(Call call, int64_t first, bool for_good) {
  next_create_thread();  // looked up before anything fails
  first_failure = first;
  all_later = for_good;
  counted = 0;
  failing = call;
}

Injection::~Injection() { failing = Call::kNone; }

int64_t Injection::calls() { return counted; }

Held held() { return {.blocks = blocks, .mappings = mappings, .files = files}; }

}  // namespace coracle::internal::test

// The allocator of the GNU C library under its other names.
extern "C" {

using coracle::internal::test::allocated;
using coracle::internal::test::Call;
using coracle::internal::test::fails;

void* __libc_malloc(size_t);            // NOLINT(bugprone-reserved-identifier)
void* __libc_calloc(size_t, size_t);    // NOLINT(bugprone-reserved-identifier)
void* __libc_realloc(void*, size_t);    // NOLINT(bugprone-reserved-identifier)
void* __libc_memalign(size_t, size_t);  // NOLINT(bugprone-reserved-identifier)
void __libc_free(void*);                // NOLINT(bugprone-reserved-identifier)

void* malloc(size_t size) {
  return allocated([&] { return __libc_malloc(size); });
}
void* calloc(size_t count, size_t size) {
  return allocated([&] { return __libc_calloc(count, size); });
}
void* memalign(size_t alignment, size_t size) {
  return allocated([&] { return __libc_memalign(alignment, size); });
}
void* aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }
int posix_memalign(void** data, size_t alignment, size_t size) {
  void* block = memalign(alignment, size);
  if (block == nullptr) return ENOMEM;
  *data = block;
  return 0;
}
void free(void* data) {
  if (data == nullptr) return;
  coracle::internal::test::blocks.fetch_sub(1, std::memory_order_relaxed);
  __libc_free(data);
}
void* realloc(void* data, size_t size) {
  if (data == nullptr) return malloc(size);
  if (size == 0) {
    free(data);
    return nullptr;
  }
  if (!fails(Call::kAllocation)) return __libc_realloc(data, size);
  errno = ENOMEM;
  return nullptr;
}

void* mmap(void* address, size_t size, int protection, int flags, int fd, off_t offset) {
  const bool unmappable = fd >= 0 && coracle::internal::test::failing == Call::kRead;
  if (fails(Call::kMapping) || unmappable) {
    errno = unmappable ? ENODEV : ENOMEM;
    return MAP_FAILED;
  }
  const auto at = ::syscall(SYS_mmap, address, size, protection, flags, fd, offset);
  if (at == -1) return MAP_FAILED;
  coracle::internal::test::mappings.fetch_add(1, std::memory_order_relaxed);
  return reinterpret_cast<void*>(at);
}
int munmap(void* address, size_t size) {
  coracle::internal::test::mappings.fetch_sub(1, std::memory_order_relaxed);
  return static_cast<int>(::syscall(SYS_munmap, address, size));
}

int open(const char* path, int flags, ...) {
  if (fails(Call::kFile)) {
    errno = EMFILE;
    return -1;
  }
  va_list rest;
  va_start(rest, flags);
  const int mode = (flags & O_CREAT) != 0 ? va_arg(rest, int) : 0;
  va_end(rest);
  const int fd = static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, flags, mode));
  if (fd >= 0) coracle::internal::test::files.fetch_add(1, std::memory_order_relaxed);
  return fd;
}
int close(int fd) {
  coracle::internal::test::files.fetch_sub(1, std::memory_order_relaxed);
  return static_cast<int>(::syscall(SYS_close, fd));
}
int fstat(int fd, struct stat* info) noexcept {
  if (fails(Call::kFile)) {
    errno = EIO;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_fstat, fd, info));
}
ssize_t read(int fd, void* data, size_t size) {
  if (fails(Call::kRead)) {
    errno = EIO;
    return -1;
  }
  return ::syscall(SYS_read, fd, data, size);
}

ssize_t pread(int fd, void* data, size_t size, off_t offset) {
  if (fails(Call::kRead)) {
    errno = EIO;
    return -1;
  }
  return ::syscall(SYS_pread64, fd, data, size, offset);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                   void* argument) noexcept {
  if (fails(Call::kThread)) return EAGAIN;
  return coracle::internal::test::next_create_thread()(thread, attributes, start, argument);
}

}  // extern "C"
