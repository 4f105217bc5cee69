// SPDX-License-Identifier: Apache-2.0
#include "base/system/processor.h"

#if defined(__x86_64__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif
#if (defined(__aarch64__) || defined(__arm__)) && defined(__linux__)
#include <sys/auxv.h>
#endif

namespace coracle::internal {

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
#else
  return 0;
#endif
}

unsigned long more_hardware_capabilities() {
#if defined(__aarch64__) && defined(__linux__)
  return ::getauxval(AT_HWCAP2);
#else
  return 0;
#endif
}

}  // namespace coracle::internal
