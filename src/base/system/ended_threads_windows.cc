// SPDX-License-Identifier: Apache-2.0
#include "base/system/ended_threads.h"
#include "base/system/windows_headers.h"

namespace coracle::internal {

bool other_threads_were_ended() {
  using Asks = BOOLEAN(NTAPI*)();
  const HMODULE system = GetModuleHandleW(L"ntdll.dll");
  const FARPROC asks = system == nullptr ? nullptr : GetProcAddress(system, "RtlDllShutdownInProgress");
  return asks != nullptr && reinterpret_cast<Asks>(reinterpret_cast<void*>(asks))() != 0;
}

}  // namespace coracle::internal
