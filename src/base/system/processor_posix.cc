// SPDX-License-Identifier: Apache-2.0
#include "base/system/processor.h"

#if defined(__x86_64__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif
#if (defined(__aarch64__) || defined(__arm__)) && defined(__linux__)
#include <sys/auxv.h>
#endif
#if defined(__aarch64__) && defined(__APPLE__)
#include <sys/sysctl.h>
#endif

namespace coracle::internal {

#if defined(__aarch64__) && defined(__APPLE__)

namespace {

/// Bit `bit` if the processor has what macOS knows by this name.
unsigned long optional_bit(const char* name, unsigned bit) {
  int value = 0;
  size_t bytes = sizeof(value);
  return ::sysctlbyname(name, &value, &bytes, nullptr, 0) == 0 && value != 0 ? 1UL << bit : 0;
}

}  // namespace

#endif

bool permit_matrix_tiles() {
#if defined(__x86_64__) && defined(__linux__)
  constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr unsigned long kTileData = 18;      // XFEATURE_XTILEDATA
  return ::syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#else
  return false;
#endif
}

unsigned long hardware_capabilities() {
#if (defined(__aarch64__) || defined(__arm__)) && defined(__linux__)
  return ::getauxval(AT_HWCAP);
#elif defined(__aarch64__) && defined(__APPLE__)
  return optional_bit("hw.optional.arm.FEAT_DotProd", 20);
#else
  return 0;
#endif
}

unsigned long more_hardware_capabilities() {
#if defined(__aarch64__) && defined(__linux__)
  return ::getauxval(AT_HWCAP2);
#elif defined(__aarch64__) && defined(__APPLE__)
  return optional_bit("hw.optional.arm.FEAT_I8MM", 13) | optional_bit("hw.optional.arm.FEAT_BF16", 14);
#else
  return 0;
#endif
}

}  // namespace coracle::internal
