// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/resource.h>

#include <cstddef>

namespace coracle::internal::test {

/// Most bytes of memory that this process had at a time. Under sanitizers 0: their allocators hold back what is freed.
inline size_t peak_resident_bytes() {
#ifdef CORACLE_SANITIZED
  return 0;
#else
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<size_t>(usage.ru_maxrss) * 1024;
#endif
}

}  // namespace coracle::internal::test
