// SPDX-License-Identifier: Apache-2.0
#include "base/copy_bytes.h"

#include <cstdint>
#include <cstring>
#include <iterator>

namespace coracle::internal {
namespace {

using Vector [[gnu::vector_size(16)]] = uint8_t;

constexpr size_t kFewBytes = 2048;  // which glibc never copies by REP MOVSB
constexpr uintptr_t kPageBytes = 4096;
constexpr uintptr_t kLine = 64;

}  // namespace

void copy_bytes(void* to, const void* from, size_t bytes) noexcept {
  const uintptr_t ahead = (reinterpret_cast<uintptr_t>(to) - reinterpret_cast<uintptr_t>(from)) % kPageBytes;
  if (bytes <= kFewBytes || ahead == 0 || ahead >= kLine) {
    if (bytes != 0) std::memcpy(to, from, bytes);
    return;
  }
  auto* target = static_cast<std::byte*>(to);
  const auto* source = static_cast<const std::byte*>(from);
  for (; bytes >= kLine; bytes -= kLine, target += kLine, source += kLine) {
    Vector parts[kLine / sizeof(Vector)];
    for (size_t i = 0; i < std::size(parts); ++i) std::memcpy(&parts[i], source + i * sizeof(Vector), sizeof(Vector));
    for (size_t i = 0; i < std::size(parts); ++i) std::memcpy(target + i * sizeof(Vector), &parts[i], sizeof(Vector));
    asm volatile("" ::: "memory");  // a compiler would make a call of memmove of the loop
  }
  std::memcpy(target, source, bytes);
}

}  // namespace coracle::internal
