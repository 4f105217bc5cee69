// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// Calls of the system that fail when told to. The program that links injection.cc has its own malloc, mmap, open,
/// fstat, read and pthread_create, which all libraries in it use too.
namespace coracle::internal::test {

enum class Call : uint8_t {
  kNone,
  kAllocation,  ///< malloc and its like, and so operator new
  kMapping,     ///< mmap
  kFile,        ///< open, fstat
  kRead,        ///< read; no file can be mapped meanwhile, so that files are read
  kThread,      ///< pthread_create
};
const char* name_of(Call call);

/// While it lives, calls of one kind are counted, whatever thread makes them, and some of them fail. One at a time.
class Injection {
 public:
  /// Call number `first`, counted from 1, fails, and all that follow it if `for_good`; 0: none fails.
  Injection(Call call, int64_t first, bool for_good);
  ~Injection();
  Injection(const Injection&) = delete;
  Injection& operator=(const Injection&) = delete;

  /// Calls so far, those that failed among them.
  static int64_t calls();
};

/// What this process has taken from the system and not given back.
struct Held {
  int64_t blocks = 0;  ///< of malloc
  int64_t mappings = 0;
  int64_t files = 0;  ///< descriptors

  bool operator==(const Held&) const = default;
};
Held held();

}  // namespace coracle::internal::test
