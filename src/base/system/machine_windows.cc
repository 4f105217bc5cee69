// SPDX-License-Identifier: Apache-2.0
#include <cpuid.h>

#include <cstring>

#include "base/system/machine.h"
#include "base/system/windows_text.h"

namespace coracle::internal {

int online_cpus() { return static_cast<int>(GetActiveProcessorCount(ALL_PROCESSOR_GROUPS)); }

std::string processor_of_system() {
  constexpr unsigned kName = 0x80000002;  // and the two leaves behind it: 48 characters
  unsigned name[13] = {};
  for (unsigned i = 0; i < 3; ++i) {
    if (__get_cpuid(kName + i, &name[4 * i], &name[4 * i + 1], &name[4 * i + 2], &name[4 * i + 3]) == 0)
      return "x86_64";
  }
  std::string text(sizeof(name), '\0');
  std::memcpy(text.data(), name, sizeof(name));
  text.resize(std::strlen(text.c_str()));
  text.erase(0, text.find_first_not_of(' '));
  text.resize(text.find_last_not_of(' ') + 1);
  return text;
}

void physical_memory(int64_t& all, int64_t& available) {
  MEMORYSTATUSEX memory{};
  memory.dwLength = sizeof(memory);
  if (GlobalMemoryStatusEx(&memory) == 0) return;
  all = static_cast<int64_t>(memory.ullTotalPhys);
  available = static_cast<int64_t>(memory.ullAvailPhys);
}

std::string c_library() { return {}; }

ProcessLimits process_limits() { return {}; }

bool is_on_network(const std::string& path) {
  wchar_t root[MAX_PATH];
  return GetVolumePathNameW(wide_text(path).c_str(), root, MAX_PATH) != 0 && GetDriveTypeW(root) == DRIVE_REMOTE;
}

}  // namespace coracle::internal
