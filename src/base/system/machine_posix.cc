// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/system/machine.h"
#if defined(__linux__)
#include <sys/vfs.h>
#endif

#include <algorithm>
#include <array>
#include <iterator>

namespace coracle::internal {

int online_cpus() { return static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN)); }

std::string processor_of_system() {
  utsname system{};
  return ::uname(&system) == 0 ? system.machine : "unknown";
}

void physical_memory(int64_t& /*all*/, int64_t& /*available*/) {}

std::string c_library() {
#if defined(__GLIBC__)
  std::array<char, 64> library{};
  if (::confstr(_CS_GNU_LIBC_VERSION, library.data(), library.size()) > 0) return library.data();  // "glibc 2.36"
#endif
  return {};
}

ProcessLimits process_limits() {
  ProcessLimits limits;
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) limits.address_space = limit.rlim_cur;
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) limits.open_files = limit.rlim_cur;
  return limits;
}

bool is_on_network([[maybe_unused]] const std::string& path) {
#if defined(__linux__)
  struct statfs info {};
  if (::statfs(path.c_str(), &info) != 0) return false;
  const auto type = static_cast<uint32_t>(info.f_type);
  constexpr uint32_t kTypes[] = {0x6969, 0xFF534D42, 0xFE534D42, 0x65735546, 0x01021997};  // NFS, CIFS, SMB2, FUSE, 9p
  return std::find(std::begin(kTypes), std::end(kTypes), type) != std::end(kTypes);
#else
  return false;
#endif
}

}  // namespace coracle::internal
